package io.fjordmq.broker.scenario;

import static io.fjordmq.broker.scenario.Bytes.counted;
import static io.fjordmq.broker.scenario.Bytes.one;
import static io.fjordmq.broker.scenario.Bytes.packet;
import static io.fjordmq.broker.scenario.Bytes.plain;
import static io.fjordmq.broker.scenario.Bytes.properties;
import static io.fjordmq.broker.scenario.Bytes.two;

import java.util.Optional;

/** Encodes the statements of a client without validation: scenarios may break the protocol. */
final class PacketBytes {
  private PacketBytes() {}

  static String connect(String client, Options options, int version) {
    Optional<Options> will = options.group("will");
    String clean = options.text("clean", "1");
    String protocol = options.text("protocol", version == 3 ? "MQIsdp" : "MQTT");
    int level = options.number("level", version);
    Optional<String> userName = options.text("user-name");
    Optional<String> password = options.text("password");
    String id = counted(options.text("id", client));
    int keepAlive = options.number("keep-alive", 0);
    int flags = clean.equals("1") ? 0x02 : 0;
    flags |= userName.isPresent() ? 0x80 : 0;
    flags |= password.isPresent() ? 0x40 : 0;
    StringBuilder payload = new StringBuilder(id);
    if (will.isPresent()) {
      Options of = will.get();
      flags |= 0x04 | of.number("qos", 0) << 3 | (of.flag("retain") ? 0x20 : 0);
      String topic = counted(of.text("will").orElseThrow());
      String message = counted(of.text("payload", ""));
      String its = of.properties();
      of.requireAllConsumed();
      payload.append(version == 5 ? properties(its) : "").append(topic).append(message);
    }
    userName.ifPresent(text -> payload.append(counted(text)));
    password.ifPresent(text -> payload.append(counted(text)));
    String wanted = options.text("flags", "");
    String all = options.properties();
    options.requireAllConsumed();
    return packet(
        0x10,
        counted(protocol)
            + one(level)
            + (wanted.isEmpty() ? one(flags) : wanted)
            + two(keepAlive)
            + (version == 5 ? properties(all) : "")
            + payload);
  }

  static String publish(Options options, int version) {
    int qos = options.number("qos", 0);
    int first = 0x30 | qos << 1;
    first |= options.flag("dup") ? 0x08 : 0;
    first |= options.flag("retain") ? 0x01 : 0;
    String topic = counted(options.text("topic", ""));
    String id = qos == 0 ? "" : two(options.number("id"));
    String payload = plain(options.text("payload", ""));
    String its = options.properties();
    options.requireAllConsumed();
    return packet(first, topic + id + (version == 5 ? properties(its) : "") + payload);
  }

  /** PUBACK, PUBREC, PUBREL and PUBCOMP. */
  static String reply(int first, Options options) {
    String id = two(options.number("id"));
    return packet(first, id + reason(options));
  }

  /** DISCONNECT and AUTH. */
  static String reasonPacket(int first, Options options) {
    return packet(first, reason(options));
  }

  private static String reason(Options options) {
    int code = options.code("code");
    String its = options.properties();
    options.requireAllConsumed();
    return its.isEmpty() && code == 0
        ? ""
        : one(code) + (its.isEmpty() ? "" : Bytes.properties(its));
  }

  static String subscribe(Options options, int version) {
    StringBuilder filters = new StringBuilder();
    Optional<Options> filter = options.group("filter");
    while (filter.isPresent()) {
      Options one = filter.get();
      int bits = one.number("qos", 0) | one.number("retain-handling", 0) << 4;
      bits |= one.flag("no-local") ? 0x04 : 0;
      bits |= one.flag("as-published") ? 0x08 : 0;
      filters.append(counted(one.text("filter").orElseThrow())).append(one(bits));
      one.requireAllConsumed();
      filter = options.group("filter");
    }
    return identifiedPacket(0x82, options, version, filters);
  }

  static String unsubscribe(Options options, int version) {
    StringBuilder filters = new StringBuilder();
    Optional<String> filter = options.text("filter");
    while (filter.isPresent()) {
      filters.append(counted(filter.get()));
      filter = options.text("filter");
    }
    return identifiedPacket(0xA2, options, version, filters);
  }

  private static String identifiedPacket(
      int first, Options options, int version, StringBuilder filters) {
    String id = two(options.number("id"));
    String its = options.properties();
    options.requireAllConsumed();
    return packet(first, id + (version == 5 ? properties(its) : "") + filters);
  }
}
