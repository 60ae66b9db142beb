package io.fjordmq.broker.sys;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The values of this node's {@code $SYS} topics. Each run computes the values, publishes those that
 * have changed to subscribers connected to this node, and keeps all of them for later subscribers.
 * The values behave like retained messages but are kept in memory only, because they are worthless
 * after a restart.
 *
 * <p>The messages have QoS 0, because a lost value is soon followed by the next one.
 */
public final class SysTopics implements Runnable {
  private final Supplier<SysValues> stats;
  private final Consumer<Message> publisher;
  private final MosquittoTopics mosquitto;
  private final EmqxTopics emqx;
  private final SysTopicsSettings settings;
  private volatile NavigableMap<String, Message> values = Collections.emptyNavigableMap();

  /**
   * @param node the name of this node
   * @param version the FjordMQ version
   * @param stats supplies the statistics; must not block
   * @param publisher publishes to connected clients of this node
   */
  public SysTopics(
      SysTopicsSettings settings,
      String node,
      String version,
      Supplier<SysValues> stats,
      Consumer<Message> publisher) {
    this.settings = settings;
    this.stats = stats;
    this.publisher = publisher;
    this.mosquitto = new MosquittoTopics(version, stats.get().nowMillis());
    this.emqx = new EmqxTopics(node, version);
  }

  /** The values by topic. Thread-safe. */
  NavigableMap<String, Message> values() {
    return values;
  }

  /** The tenant whose clients can subscribe to the topics. */
  String tenant() {
    return settings.tenant();
  }

  /** Computes the values and publishes those that have changed. Not thread-safe. */
  @Override
  public void run() {
    SysValues now = stats.get();
    Map<String, String> texts = new TreeMap<>();
    if (settings.mosquitto()) {
      mosquitto.addTo(texts, now);
    }
    if (settings.emqx()) {
      emqx.addTo(texts, now);
    }
    NavigableMap<String, Message> before = values;
    TreeMap<String, Message> after = new TreeMap<>();
    texts.forEach((topic, text) -> after.put(topic, message(topic, text, now.nowMillis())));
    values = after;
    for (Message message : after.values()) {
      Message old = before.get(message.topic().name());
      if (old == null || !Arrays.equals(old.payload(), message.payload())) {
        publisher.accept(message);
      }
    }
  }

  static Message message(String topic, String text, long nowMillis) {
    return new Message(
        new Topic(topic),
        text.getBytes(StandardCharsets.UTF_8),
        Qos.AT_MOST_ONCE,
        false,
        MessageProperties.NONE,
        "",
        nowMillis,
        Message.NEVER);
  }
}
