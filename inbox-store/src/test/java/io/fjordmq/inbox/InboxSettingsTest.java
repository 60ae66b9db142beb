package io.fjordmq.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class InboxSettingsTest {
  private static InboxSettings withRanges(int ranges) {
    InboxSettings defaults = InboxSettings.DEFAULT;
    return new InboxSettings(
        ranges,
        defaults.limits(),
        defaults.cachedInboxes(),
        defaults.commitLinger(),
        defaults.maxCommitInboxes(),
        defaults.maxCommitSpan(),
        defaults.busyBackoff(),
        defaults.maxBusyRetries(),
        defaults.owedDetachPause(),
        defaults.maxOwedDetaches(),
        defaults.willGrace(),
        defaults.producerIdle(),
        defaults.sweepItems(),
        defaults.sweepSteps());
  }

  @Test
  void shouldSayWhichValueMakesNoSense() {
    assertThatThrownBy(() -> withRanges(-1)).hasMessage("initialRanges must be at least 0, not -1");
    assertThatThrownBy(() -> withRanges(5000))
        .hasMessage("initialRanges must be at most 4096, not 5000");
    assertThatThrownBy(() -> new InboxLimits(0, 1, InboxLimits.WhenFull.REFUSE))
        .hasMessage("inbox limits must be positive: messages=0 bytes=1");
  }

  @Test
  void shouldHaveAsManyRangesAsItWasTold() {
    for (int ranges : new int[] {1, 3, 4, 4096}) {
      assertThat(InboxKeys.splitKeys(withRanges(ranges).initialRanges()))
          .hasSize(ranges - 1)
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void shouldBeginWithAsManyRangesAsCanWorkAtATime() {
    assertThat(withRanges(3).initialRangesOn(64)).isEqualTo(3);
    assertThat(withRanges(0).initialRangesOn(1)).isEqualTo(1);
    assertThat(withRanges(0).initialRangesOn(2)).isEqualTo(1);
    assertThat(withRanges(0).initialRangesOn(8)).isEqualTo(4);
    assertThat(withRanges(0).initialRangesOn(64)).isEqualTo(16);
  }

  @Test
  void shouldForgetTheInboxNotUsedForLongestAndReadItAgain() {
    InboxSettings defaults = TestInboxes.settings(InboxLimits.DEFAULT);
    InboxSettings tight =
        new InboxSettings(
            1,
            defaults.limits(),
            2,
            Duration.ZERO,
            1,
            1,
            Duration.ofMillis(1),
            0,
            defaults.owedDetachPause(),
            defaults.maxOwedDetaches(),
            defaults.willGrace(),
            defaults.producerIdle(),
            1,
            1);
    try (TestInboxes inboxes = new TestInboxes(tight)) {
      InboxHandle[] handles = new InboxHandle[5];
      for (int i = 0; i < handles.length; i++) {
        handles[i] = inboxes.attach(new InboxId("t", "c" + i)).handle();
      }
      for (int round = 1; round <= 3; round++) {
        for (InboxHandle handle : handles) {
          inboxes.insert(handle, "m" + round);
        }
      }
      for (InboxHandle handle : handles) {
        assertThat(inboxes.store().commit(handle, 2, java.util.List.of())).isCompleted();
        assertThat(inboxes.fetchAll(handle)).containsExactly("2:m2", "3:m3");
      }
    }
  }
}
