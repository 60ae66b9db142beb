package io.fjordmq.broker.scenario;

import java.util.HexFormat;

/**
 * Decodes the broker's packets to words, with a codec of its own: anything not exactly as in the
 * standard becomes {@code MALFORMED}. Optional fields that are 0 are omitted.
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
    require(size == in.remaining(), "remaining length");
    switch (first) {
      case 0x20 -> readConnAck();
      case 0x40 -> readReply("PUBACK");
      case 0x50 -> readReply("PUBREC");
      case 0x62 -> readReply("PUBREL");
      case 0x70 -> readReply("PUBCOMP");
      case 0x90 -> {
        readIdentified("SUBACK");
        readCodes();
      }
      case 0xB0 -> {
        readIdentified("UNSUBACK");
        readCodes();
      }
      case 0xD0 -> appendType("PINGRESP");
      case 0xE0 -> readReason("DISCONNECT");
      case 0xF0 -> readReason("AUTH");
      default -> {
        require(first >> 4 == 3, "a packet of a client, or wrong flags");
        readPublish(first);
      }
    }
    require(in.remaining() == 0, "bytes after the last field");
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException(what);
    }
  }

  private void appendType(String type) {
    text.append(type).append(' ').append(client);
  }

  private void appendWord(String name, Object value) {
    text.append(' ').append(name).append('=').append(value);
  }

  private void readConnAck() {
    appendType("CONNACK");
    int flags = in.one();
    require(flags <= 1, "flags of a CONNACK");
    appendWord("present", flags);
    appendCode(in.one());
    if (version == 5) {
      readProperties();
    }
  }

  private void appendCode(int code) {
    if (code != 0) {
      appendWord("code", Bytes.one(code));
    }
  }

  private void readPublish(int first) {
    appendType("PUBLISH");
    int qos = first >> 1 & 3;
    require(qos < 3, "QoS 3");
    appendWord("topic", Value.format(in.counted()));
    if (qos > 0) {
      appendWord("qos", qos);
      appendWord("id", in.two());
    }
    if ((first & 8) != 0) {
      require(qos > 0, "DUP with QoS 0");
      appendWord("dup", 1);
    }
    if ((first & 1) != 0) {
      appendWord("retain", 1);
    }
    if (version == 5) {
      readProperties();
    }
    appendWord("payload", Value.format(in.readBytes(in.remaining())));
  }

  private void readReply(String type) {
    appendType(type);
    appendWord("id", in.two());
    if (in.remaining() > 0) {
      require(version == 5, "a reason code before MQTT 5");
      appendCode(in.one());
    }
    if (in.remaining() > 0) {
      readProperties();
    }
  }

  private void readIdentified(String type) {
    appendType(type);
    appendWord("id", in.two());
    if (version == 5) {
      readProperties();
    }
  }

  private void readCodes() {
    StringBuilder all = new StringBuilder();
    while (in.remaining() > 0) {
      all.append(all.isEmpty() ? "" : ",").append(Bytes.one(in.one()));
    }
    if (!all.isEmpty()) {
      appendWord("codes", all);
    }
  }

  private void readReason(String type) {
    appendType(type);
    require(version == 5, "no packet of a server before MQTT 5");
    if (in.remaining() > 0) {
      appendCode(in.one());
    }
    if (in.remaining() > 0) {
      readProperties();
    }
  }

  private void readProperties() {
    PacketCursor all = new PacketCursor(in.readBytes(in.integer()));
    while (all.remaining() > 0) {
      Property property = Property.of(all.integer());
      appendWord(property.word(), property.read(all));
    }
  }
}
