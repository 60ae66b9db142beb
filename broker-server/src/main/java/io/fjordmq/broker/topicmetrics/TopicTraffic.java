package io.fjordmq.broker.topicmetrics;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of registered topics on this node. Thread-safe. A message costs a null check
 * if no topic is registered, otherwise one hash lookup.
 */
public final class TopicTraffic {
  // By topic; usually, one tenant each. Null if no topic is registered.
  private volatile @Nullable Map<String, List<Counters>> byTopic;

  private static final class Counters {
    private final RegisteredTopic topic;
    private final LongAdder[] counters = new LongAdder[TopicCounter.COUNT];
    // Written by the thread that samples.
    private long[] sampled = new long[TopicCounter.COUNT];
    private volatile double[] rates = new double[TopicCounter.COUNT];

    private Counters(RegisteredTopic topic) {
      this.topic = topic;
      for (int i = 0; i < counters.length; i++) {
        counters[i] = new LongAdder();
      }
    }

    private long[] counts() {
      long[] counts = new long[counters.length];
      for (int i = 0; i < counts.length; i++) {
        counts[i] = counters[i].sum();
      }
      return counts;
    }

    private void sample(double seconds) {
      long[] counts = counts();
      double[] next = new double[counts.length];
      for (int i = 0; i < counts.length; i++) {
        next[i] = (counts[i] - sampled[i]) / seconds;
      }
      sampled = counts;
      rates = next;
    }
  }

  /** The messages of a registered topic on this node. */
  public record Reading(String tenant, String topic, TopicReading messages) {}

  /** A message was published. */
  public void onPublished(String tenant, Topic topic, Qos qos) {
    Map<String, List<Counters>> current = byTopic;
    if (current != null) {
      add(current, tenant, topic, TopicCounter.IN_QOS0.ordinal() + qos.level(), 1);
    }
  }

  /** A copy was sent to a client with this QoS. */
  public void onSent(String tenant, Topic topic, Qos qos) {
    Map<String, List<Counters>> current = byTopic;
    if (current != null) {
      add(current, tenant, topic, TopicCounter.OUT_QOS0.ordinal() + qos.level(), 1);
    }
  }

  /** Messages or copies were dropped. */
  public void onDropped(String tenant, Topic topic, long count) {
    Map<String, List<Counters>> current = byTopic;
    if (current != null) {
      add(current, tenant, topic, TopicCounter.DROPPED.ordinal(), count);
    }
  }

  private static void add(
      Map<String, List<Counters>> current, String tenant, Topic topic, int counter, long count) {
    List<Counters> found = current.get(topic.name());
    if (found == null) {
      return;
    }
    for (Counters counters : found) {
      if (counters.topic.tenant().equals(tenant)) {
        counters.counters[counter].add(count);
        return;
      }
    }
  }

  /**
   * Replaces the registered topics. Topics that remain keep their counters, unless they were reset.
   * Called by one thread at a time.
   */
  void replace(Collection<RegisteredTopic> topics) {
    Map<String, List<Counters>> before = byTopic;
    Map<String, List<Counters>> next = new HashMap<>();
    for (RegisteredTopic topic : topics) {
      Counters kept = before == null ? null : find(before, topic);
      next.computeIfAbsent(topic.topic(), absent -> new ArrayList<>(1))
          .add(kept == null ? new Counters(topic) : kept);
    }
    byTopic = next.isEmpty() ? null : next;
  }

  private static @Nullable Counters find(
      Map<String, List<Counters>> before, RegisteredTopic topic) {
    for (Counters counters : before.getOrDefault(topic.topic(), List.of())) {
      if (counters.topic.tenant().equals(topic.tenant())
          && counters.topic.createdAt().equals(topic.createdAt())
          && isSame(counters.topic.resetAt(), topic.resetAt())) {
        return counters;
      }
    }
    return null;
  }

  private static boolean isSame(@Nullable Instant one, @Nullable Instant other) {
    return Objects.equals(one, other);
  }

  /** Whether any topic is registered. */
  boolean isCounting() {
    return byTopic != null;
  }

  /** Updates the rates. Called by one thread, regularly. */
  void sampleRates(double secondsSinceLastCall) {
    Map<String, List<Counters>> current = byTopic;
    if (current != null) {
      current.values().forEach(all -> all.forEach(one -> one.sample(secondsSinceLastCall)));
    }
  }

  /** Returns the messages of all registered topics on this node, in no particular order. */
  public List<Reading> read() {
    Map<String, List<Counters>> current = byTopic;
    List<Reading> readings = new ArrayList<>();
    if (current != null) {
      for (List<Counters> all : current.values()) {
        for (Counters one : all) {
          readings.add(
              new Reading(
                  one.topic.tenant(),
                  one.topic.topic(),
                  new TopicReading(one.counts(), one.rates)));
        }
      }
    }
    return readings;
  }
}
