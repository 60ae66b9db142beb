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
  private final WriteHistory<TenantTopic, RetainedValue> history = new WriteHistory<>();

  /** The topic of a retained message. */
  record TenantTopic(String tenant, String topic) {}

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
    private final Map<TenantTopic, Integer> minPositions = new LinkedHashMap<>();
    private final Map<TenantTopic, String> foundPayloads = new HashMap<>();

    Scan(String tenant, TopicFilter filter, long startMillis) {
      this.tenant = tenant;
      this.filter = filter;
      this.startMillis = startMillis;
    }

    void add(List<Message> messages) {
      for (Message message : messages) {
        String payload = new String(message.payload(), StandardCharsets.UTF_8);
        TenantTopic topic = new TenantTopic(tenant, message.topic().name());
        if (foundPayloads.put(topic, payload) != null) {
          throw new AssertionError("%s found %s twice".formatted(this, topic));
        }
      }
    }

    @Override
    public String toString() {
      return "scan of " + filter + " for " + tenant + " started at " + startMillis;
    }
  }

  WriteHistory<TenantTopic, RetainedValue> history() {
    return history;
  }

  Scan begin(String tenant, TopicFilter filter, long nowMillis) {
    Scan scan = new Scan(tenant, filter, nowMillis);
    for (TenantTopic topic : history.keys()) {
      if (topic.tenant.equals(tenant) && filter.matches(new Topic(topic.topic))) {
        scan.minPositions.put(topic, history.lastAcknowledged(topic));
      }
    }
    return scan;
  }

  /**
   * Asserts that the scan found everything acknowledged before it began, and nothing removed or
   * made up.
   */
  void assertFound(Scan scan, long nowMillis) {
    Map<TenantTopic, String> left = new HashMap<>(scan.foundPayloads);
    for (TenantTopic topic : history.keys()) {
      boolean matches =
          topic.tenant.equals(scan.tenant) && scan.filter.matches(new Topic(topic.topic));
      if (!matches) {
        continue;
      }
      String payload = left.remove(topic);
      int mustKnow = scan.minPositions.getOrDefault(topic, 0);
      Predicate<RetainedValue> mayBeFound = kept -> kept.expiresAtMillis > scan.startMillis;
      assertPossible(topic, payload, mustKnow, mayBeFound, nowMillis, scan.toString());
    }
    if (!left.isEmpty()) {
      throw new AssertionError("%s found messages that were never put: %s".formatted(scan, left));
    }
  }

  /** Asserts that a row is permitted given all acknowledgements. */
  void assertRow(TenantTopic topic, @Nullable String payload, long nowMillis) {
    int mustKnow = history.lastAcknowledged(topic);
    assertPossible(topic, payload, mustKnow, kept -> true, nowMillis, "the leader");
  }

  private void assertPossible(
      TenantTopic topic,
      @Nullable String payload,
      int mustKnow,
      Predicate<RetainedValue> mayBeFound,
      long nowMillis,
      String who) {
    List<Optional<RetainedValue>> possible = history.possibleValues(topic, mustKnow);
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
   * Time until which a message is certainly retained, for any outcome of the writes so far; 0 if
   * unsure.
   */
  long retainedUntil(TenantTopic topic) {
    return possibleNow(topic).stream()
        .mapToLong(one -> one.map(RetainedValue::expiresAtMillis).orElse(0L))
        .min()
        .orElse(0);
  }

  /** Whether certainly nothing is retained, for any outcome of the writes so far. */
  boolean isCertainlyEmpty(TenantTopic topic) {
    return possibleNow(topic).stream().allMatch(Optional::isEmpty);
  }

  private List<Optional<RetainedValue>> possibleNow(TenantTopic topic) {
    return history.possibleValues(topic, history.lastAcknowledged(topic));
  }
}
