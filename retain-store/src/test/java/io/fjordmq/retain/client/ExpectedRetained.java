package io.fjordmq.retain.client;

import io.fjordmq.api.Message;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.sim.WriteHistory;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The permitted retained messages, computed from the requests and their acknowledgements. */
final class ExpectedRetained {
  private final WriteHistory<TopicOf, RetainedValue> history = new WriteHistory<>();

  /** The topic of a retained message. */
  record TopicOf(String tenant, String topic) {}

  /**
   * A retained message.
   *
   * @param payload different for every write to a topic
   */
  record RetainedValue(String payload, long expiresAtMillis) {}

  /** A scan through the pages: the writes it must know, and the messages it has found. */
  static final class Scan {
    final String tenant;
    final TopicFilter filter;
    private final long startMillis;
    private final Map<TopicOf, Integer> mustKnow = new LinkedHashMap<>();
    private final Map<TopicOf, String> found = new HashMap<>();

    Scan(String tenant, TopicFilter filter, long startMillis) {
      this.tenant = tenant;
      this.filter = filter;
      this.startMillis = startMillis;
    }

    void add(List<Message> messages) {
      for (Message message : messages) {
        String payload = new String(message.payload(), StandardCharsets.UTF_8);
        TopicOf topic = new TopicOf(tenant, message.topic().name());
        if (found.put(topic, payload) != null) {
          throw new AssertionError("%s found %s twice".formatted(this, topic));
        }
      }
    }

    @Override
    public String toString() {
      return "scan of " + filter + " for " + tenant + " started at " + startMillis;
    }
  }

  WriteHistory<TopicOf, RetainedValue> history() {
    return history;
  }

  Scan begin(String tenant, TopicFilter filter, long nowMillis) {
    Scan scan = new Scan(tenant, filter, nowMillis);
    for (TopicOf topic : history.keys()) {
      if (topic.tenant.equals(tenant) && filter.matches(new Topic(topic.topic))) {
        scan.mustKnow.put(topic, history.lastAcknowledged(topic));
      }
    }
    return scan;
  }

  /**
   * Asserts that the scan found everything acknowledged before it began, and nothing removed or
   * made up.
   */
  void assertFound(Scan scan, long nowMillis) {
    Map<TopicOf, String> left = new HashMap<>(scan.found);
    for (TopicOf topic : history.keys()) {
      boolean matches =
          topic.tenant.equals(scan.tenant) && scan.filter.matches(new Topic(topic.topic));
      if (!matches) {
        continue;
      }
      String payload = left.remove(topic);
      int mustKnow = scan.mustKnow.getOrDefault(topic, 0);
      Predicate<RetainedValue> mayBeFound = kept -> kept.expiresAtMillis > scan.startMillis;
      assertPossible(topic, payload, mustKnow, mayBeFound, nowMillis, scan.toString());
    }
    if (!left.isEmpty()) {
      throw new AssertionError("%s found messages that were never put: %s".formatted(scan, left));
    }
  }

  /** Asserts that a row is permitted given all acknowledgements. */
  void assertRow(TopicOf topic, @Nullable String payload, long nowMillis) {
    int mustKnow = history.lastAcknowledged(topic);
    assertPossible(topic, payload, mustKnow, kept -> true, nowMillis, "the leader");
  }

  private void assertPossible(
      TopicOf topic,
      @Nullable String payload,
      int mustKnow,
      Predicate<RetainedValue> mayBeFound,
      long nowMillis,
      String who) {
    List<Optional<RetainedValue>> possible = history.possibleSince(topic, mustKnow);
    for (Optional<RetainedValue> one : possible) {
      boolean allowed =
          payload == null
              ? one.isEmpty() || one.get().expiresAtMillis <= nowMillis
              : one.isPresent() && one.get().payload.equals(payload) && mayBeFound.test(one.get());
      if (allowed) {
        return;
      }
    }
    throw new AssertionError(
        "at %d ms %s has %s at %s, contrary to what was acknowledged; possible: %s"
            .formatted(nowMillis, who, payload, topic, possible));
  }

  /**
   * Time until which a message is certainly retained, whatever the outcome of the writes so far; 0
   * if unsure.
   */
  long retainedUntil(TopicOf topic) {
    return possibleNow(topic).stream()
        .mapToLong(one -> one.map(RetainedValue::expiresAtMillis).orElse(0L))
        .min()
        .orElse(0);
  }

  /** Whether certainly nothing is retained, whatever the outcome of the writes so far. */
  boolean isCertainlyEmpty(TopicOf topic) {
    return possibleNow(topic).stream().allMatch(Optional::isEmpty);
  }

  private List<Optional<RetainedValue>> possibleNow(TopicOf topic) {
    return history.possibleSince(topic, history.lastAcknowledged(topic));
  }
}
