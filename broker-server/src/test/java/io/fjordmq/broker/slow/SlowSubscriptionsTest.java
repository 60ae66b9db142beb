package io.fjordmq.broker.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Topic;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlowSubscriptionsTest {
  private static final Topic TOPIC = new Topic("a");

  private final SlowSubscriptions slow =
      new SlowSubscriptions(
          new SlowSubscriptionSettings(Duration.ofMillis(500), 3, Duration.ofSeconds(300)));

  private void report(String clientId, long latency, long now) {
    slow.report("t", clientId, TOPIC, latency, now);
  }

  private List<String> ids(long now) {
    return slow.list(now).stream().map(SlowSubscription::clientId).toList();
  }

  @Test
  void shouldListTheSlowestFirst() {
    report("a", 499, 1_000);
    report("b", 500, 1_000);
    report("c", 900, 1_000);
    report("d", 700, 1_000);
    report("e", 800, 1_000);
    report("f", 600, 1_000);
    assertThat(ids(1_000)).containsExactly("c", "e", "d");
  }

  @Test
  void shouldKeepTheHighestLatencyOfAClientAndTopic() {
    report("a", 900, 1_000);
    report("a", 600, 2_000);
    slow.report("t", "a", new Topic("b"), 700, 3_000);
    assertThat(slow.list(3_000))
        .containsExactly(
            new SlowSubscription("t", "a", "a", 900, 2_000),
            new SlowSubscription("t", "a", "b", 700, 3_000));
  }

  @Test
  void shouldForgetSubscriptionsThatAreNoLongerSlow() {
    report("a", 900, 0);
    report("b", 800, 0);
    report("c", 700, 200_000);
    report("d", 600, 299_999);
    assertThat(ids(299_999)).containsExactly("a", "b", "c");
    report("d", 600, 300_000); // although the list was full of slower ones
    assertThat(ids(300_000)).containsExactly("c", "d");
    assertThat(ids(600_000)).isEmpty();
  }

  @Test
  void shouldClearOneTenant() {
    report("a", 900, 0);
    slow.report("other", "b", TOPIC, 800, 0);
    slow.clear("t"::equals);
    assertThat(ids(0)).containsExactly("b");
    slow.clear(tenant -> true);
    assertThat(ids(0)).isEmpty();
  }

  @Test
  void shouldListNothingIfSwitchedOff() {
    SlowSubscriptions off = SlowSubscriptions.disabled();
    off.report("t", "a", TOPIC, 1_000_000, 0);
    assertThat(off.isEnabled()).isFalse();
    assertThat(off.list(0)).isEmpty();
  }

  @Test
  void shouldRejectInvalidSettings() {
    assertThatThrownBy(
            () -> new SlowSubscriptionSettings(Duration.ofMillis(9), 1, Duration.ofSeconds(1)))
        .hasMessage("threshold must be at least 10 ms, or 0, not 9 ms");
    assertThatThrownBy(
            () -> new SlowSubscriptionSettings(Duration.ZERO, 1_001, Duration.ofSeconds(1)))
        .hasMessage("maxEntries must be between 1 and 1000, not 1001");
    assertThatThrownBy(() -> new SlowSubscriptionSettings(Duration.ZERO, 1, Duration.ofMillis(1)))
        .hasMessage("expiry must be at least 1 s, not 1 ms");
  }
}
