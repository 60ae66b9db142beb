package io.fjordmq.broker.scenario;

import java.util.HexFormat;

/**
 * Packets of the broker as words, read by nobody's codec: what is not exactly as the standard draws
 * it becomes {@code MALFORMED}. Fields that are 0 and may be left out are left out.
 */
final class PacketText {
  private final String client;
  private final int version;
  private final StringBuilder text = new StringBuilder();
  private final PacketCursor in;

  private PacketText(String client, int version, byte[] packet) {
    this.client = client;
    this.version = version;
    this.in = new PacketCursor(packet);
  }

  static String of(String client, int version, String hex) {
    PacketText packet = new PacketText(client, version, HexFormat.of().parseHex(hex));
    try {
      packet.read();
    } catch (IllegalArgumentException e) {
      return "MALFORMED " + client + " hex:" + hex + " " + e.getMessage();
    }
    return packet.text.toString();
  }

  private void read() {
    int first = in.one();
    int size = in.integer();
    require(size == in.left(), "remaining length");
    switch (first) {
      case 0x20 -> connAck();
      case 0x40 -> reply("PUBACK");
      case 0x50 -> reply("PUBREC");
      case 0x62 -> reply("PUBREL");
      case 0x70 -> reply("PUBCOMP");
      case 0x90 -> {
        identified("SUBACK");
        codes();
      }
      case 0xB0 -> {
        identified("UNSUBACK");
        codes();
      }
      case 0xD0 -> begin("PINGRESP");
      case 0xE0 -> reason("DISCONNECT");
      case 0xF0 -> reason("AUTH");
      default -> {
        require(first >> 4 == 3, "a packet of a client, or wrong flags");
        publish(first);
      }
    }
    require(in.left() == 0, "bytes after the last field");
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException(what);
    }
  }

  private void begin(String type) {
    text.append(type).append(' ').append(client);
  }

  private void word(String name, Object value) {
    text.append(' ').append(name).append('=').append(value);
  }

  private void connAck() {
    begin("CONNACK");
    int flags = in.one();
    require(flags <= 1, "flags of a CONNACK");
    word("present", flags);
    code(in.one());
    if (version == 5) {
      properties();
    }
  }

  private void code(int code) {
    if (code != 0) {
      word("code", Bytes.one(code));
    }
  }

  private void publish(int first) {
    begin("PUBLISH");
    int qos = first >> 1 & 3;
    require(qos < 3, "QoS 3");
    word("topic", Value.show(in.counted()));
    if (qos > 0) {
      word("qos", qos);
      word("id", in.two());
    }
    if ((first & 8) != 0) {
      require(qos > 0, "DUP with QoS 0");
      word("dup", 1);
    }
    if ((first & 1) != 0) {
      word("retain", 1);
    }
    if (version == 5) {
      properties();
    }
    word("payload", Value.show(in.take(in.left())));
  }

  private void reply(String type) {
    begin(type);
    word("id", in.two());
    if (in.left() > 0) {
      require(version == 5, "a reason code before MQTT 5");
      code(in.one());
    }
    if (in.left() > 0) {
      properties();
    }
  }

  private void identified(String type) {
    begin(type);
    word("id", in.two());
    if (version == 5) {
      properties();
    }
  }

  private void codes() {
    StringBuilder all = new StringBuilder();
    while (in.left() > 0) {
      all.append(all.isEmpty() ? "" : ",").append(Bytes.one(in.one()));
    }
    if (!all.isEmpty()) {
      word("codes", all);
    }
  }

  private void reason(String type) {
    begin(type);
    require(version == 5, "no packet of a server before MQTT 5");
    if (in.left() > 0) {
      code(in.one());
    }
    if (in.left() > 0) {
      properties();
    }
  }

  private void properties() {
    PacketCursor all = new PacketCursor(in.take(in.integer()));
    while (all.left() > 0) {
      Property property = Property.of(all.integer());
      word(property.word(), property.read(all));
    }
  }
}
