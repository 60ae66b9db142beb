package io.fjordmq.broker.fuzz;

import io.fjordmq.broker.testing.MemoryBroker;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client that sends arbitrary packets and can acknowledge what it received. */
final class FuzzedClient {
  private static final List<String> NAMES = List.of("a", "b", "", "c\uD83D\uDE00", "a/+");
  private static final List<String> TOPICS =
      List.of("t", "t/u", "t/u/v", "", "u", "$SYS/t", "t/+", "/", "a/b/c/d/e/f", "t\u0000");
  private static final List<String> FILTERS =
      List.of(
          "t",
          "#",
          "t/+",
          "t/#",
          "$share/g/t",
          "$share/g/#",
          "$share//t",
          "+/u",
          "t#",
          "",
          "$share/g",
          "$share/+/t",
          "$SYS/#",
          "/");
  private static final List<Integer> ACKNOWLEDGEMENTS = List.of(0x40, 0x50, 0x62, 0x70);
  private static final int MAX_UNANSWERED = 64;

  private final MemoryBroker broker;
  private final ArrayDeque<String> unanswered = new ArrayDeque<>();
  private MemoryBroker.@Nullable MemoryConnection line;
  private boolean mqtt5;

  /** Whether the version is known, because nothing was sent before the first CONNECT. */
  private boolean versionKnown;

  FuzzedClient(MemoryBroker broker) {
    this.broker = broker;
  }

  void send(byte[] bytes) {
    if (line == null) {
      open(false, false);
    }
    Objects.requireNonNull(line).send(bytes);
  }

  private void open(boolean five, boolean legible) {
    this.mqtt5 = five;
    this.versionKnown = legible;
    line = broker.open();
    if (five) {
      line.decodeMqtt5();
    }
  }

  void cut() {
    if (line != null) {
      line.cut();
      line = null;
    }
    unanswered.clear();
  }

  void advance(int seconds) {
    if (line != null) {
      line.advance(seconds);
    }
  }

  /** Checks that the received packets are well-formed. */
  void read() {
    if (line == null) {
      return;
    }
    List<String> packets = line.read();
    if (versionKnown) {
      requireReadable(packets);
    }
    for (String packet : packets) {
      if (unanswered.size() < MAX_UNANSWERED) {
        unanswered.add(packet);
      }
    }
    if (!line.isOpen()) {
      cut();
    }
  }

  static void requireReadable(List<String> packets) {
    for (String packet : packets) {
      FuzzedBroker.require(!packet.startsWith("undecodable"), packet);
    }
  }

  /** Acknowledges up to this many of the received packets, as a client should. */
  void answer(int most) {
    for (int i = 0; i < most && !unanswered.isEmpty() && line != null; i++) {
      String[] words = unanswered.remove().split(" ");
      switch (words[0]) {
        case "PUBLISH" -> answerPublish(words);
        case "PUBREC" -> acknowledge(0x62, Integer.parseInt(words[1]));
        case "PUBREL" -> acknowledge(0x70, Integer.parseInt(words[1]));
        default -> {}
      }
    }
  }

  private void answerPublish(String[] words) {
    if (words[1].equals("q0")) {
      return; // and "id=" in its payload is not its identifier
    }
    for (String word : words) {
      if (word.startsWith("id=")) {
        acknowledge(words[1].equals("q1") ? 0x40 : 0x50, Integer.parseInt(word.substring(3)));
        return;
      }
    }
  }

  private void acknowledge(int first, int id) {
    send(new PacketBytes().two(id).packet(first));
  }

  void connect(Choices choices) {
    if (!choices.nextBoolean()) { // or a second CONNECT on the same connection
      cut();
    }
    int version = 3 + choices.below(4); // 6 is none
    int flags = choices.octet();
    PacketBytes packet = new PacketBytes().text(version == 3 ? "MQIsdp" : "MQTT").one(version);
    packet.one(flags).two(choices.below(20));
    if (version == 5) {
      packet.properties(connectProperties(choices));
    }
    packet.text(choices.oneOf(NAMES));
    if ((flags & 4) != 0) {
      if (version == 5) {
        packet.properties(
            choices.nextBoolean() ? new PacketBytes().one(0x18).four(5) : new PacketBytes());
      }
      packet.text(choices.oneOf(TOPICS)).counted(choices.bytes(choices.below(4)));
    }
    if ((flags & 0x80) != 0) {
      packet.text("user");
    }
    if ((flags & 0x40) != 0) {
      packet.text("password");
    }
    if (line == null) {
      open(version == 5, version != 6); // refused in the format of the newest version
    }
    send(packet.packet(0x10));
  }

  private static PacketBytes connectProperties(Choices choices) {
    int which = choices.octet();
    PacketBytes properties = new PacketBytes();
    if ((which & 1) != 0) {
      properties
          .one(0x11)
          .four(choices.nextBoolean() ? -1 : choices.octet()); // Session Expiry Interval
    }
    if ((which & 2) != 0) {
      properties.one(0x21).two(choices.octet()); // Receive Maximum
    }
    if ((which & 4) != 0) {
      properties.one(0x27).four(choices.octet()); // Maximum Packet Size
    }
    if ((which & 8) != 0) {
      properties.one(0x22).two(choices.octet()); // Topic Alias Maximum
    }
    if ((which & 16) != 0) {
      properties.one(0x17).one(choices.octet()); // Request Problem Information
    }
    if ((which & 32) != 0) {
      properties.one(0x15).text("method"); // Authentication Method
    }
    if ((which & 64) != 0) {
      properties.one(choices.octet()).bytes(choices.bytes(4)); // any, and so mostly wrong
    }
    return properties;
  }

  void subscribe(Choices choices) {
    PacketBytes packet = new PacketBytes().two(id(choices));
    if (mqtt5) {
      int identifier = choices.octet();
      packet.properties(
          (identifier & 1) == 0
              ? new PacketBytes()
              : new PacketBytes().one(0x0B).one(identifier >> 1));
    }
    for (int filters = choices.below(4); filters > 0; filters--) {
      packet.text(choices.oneOf(FILTERS)).one(choices.octet());
    }
    send(packet.packet(0x82));
  }

  void unsubscribe(Choices choices) {
    PacketBytes packet = new PacketBytes().two(id(choices));
    if (mqtt5) {
      packet.properties(new PacketBytes());
    }
    for (int filters = choices.below(3); filters > 0; filters--) {
      packet.text(choices.oneOf(FILTERS));
    }
    send(packet.packet(0xA2));
  }

  void publish(Choices choices) {
    int flags = choices.below(16);
    PacketBytes packet = new PacketBytes().text(choices.oneOf(TOPICS));
    if ((flags & 6) != 0) {
      packet.two(id(choices));
    }
    if (mqtt5) {
      packet.properties(publishProperties(choices));
    }
    packet.bytes(choices.bytes(choices.below(8)));
    send(packet.packet(0x30 | flags));
  }

  private static PacketBytes publishProperties(Choices choices) {
    int which = choices.octet();
    PacketBytes properties = new PacketBytes();
    if ((which & 1) != 0) {
      properties.one(0x23).two(choices.below(4)); // Topic Alias
    }
    if ((which & 2) != 0) {
      properties.one(0x02).four(choices.below(8)); // Message Expiry Interval
    }
    if ((which & 4) != 0) {
      properties.one(0x08).text(choices.oneOf(TOPICS)); // Response Topic
    }
    if ((which & 8) != 0) {
      properties.one(0x01).one(choices.octet()); // Payload Format Indicator
    }
    if ((which & 16) != 0) {
      properties.one(0x26).text("name").text("value"); // User Property
    }
    if ((which & 32) != 0) {
      properties.one(choices.octet()).bytes(choices.bytes(4));
    }
    return properties;
  }

  /** PUBACK, PUBREC, PUBREL or PUBCOMP with any identifier, expected or not. */
  void acknowledge(Choices choices) {
    PacketBytes packet = new PacketBytes().two(id(choices));
    int first = choices.oneOf(ACKNOWLEDGEMENTS);
    if (mqtt5 && choices.nextBoolean()) {
      packet.one(choices.octet());
    }
    send(packet.packet(first));
  }

  void disconnect(Choices choices) {
    PacketBytes packet = new PacketBytes();
    if (mqtt5 && choices.nextBoolean()) {
      packet.one(choices.octet());
      packet.properties(
          choices.nextBoolean()
              ? new PacketBytes().one(0x11).four(choices.octet())
              : new PacketBytes());
    }
    send(packet.packet(0xE0));
  }

  void authenticate(Choices choices) {
    PacketBytes properties = new PacketBytes().one(0x15).text("method");
    send(new PacketBytes().one(choices.octet()).properties(properties).packet(0xF0));
  }

  /** Mostly small identifiers, so that they collide. */
  private static int id(Choices choices) {
    int id = choices.octet();
    return id < 250 ? id % 8 : 65_285 + id;
  }
}
