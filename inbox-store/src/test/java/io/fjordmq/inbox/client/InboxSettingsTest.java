package io.fjordmq.inbox.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxKeys;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class InboxSettingsTest {
  private static InboxSettings withRanges(int ranges) {
    InboxSettings defaults = InboxSettings.DEFAULT;
    return RecordBuilder.from(defaults).with(InboxSettings::initialRanges, ranges).build();
  }

  @Test
  void shouldNameTheInvalidValue() {
    assertThatThrownBy(() -> withRanges(-1)).hasMessage("initialRanges must be at least 0, not -1");
    assertThatThrownBy(() -> withRanges(5000))
        .hasMessage("initialRanges must be at most 4096, not 5000");
    assertThatThrownBy(() -> new InboxLimits(0, 1, InboxLimits.WhenFull.REFUSE))
        .hasMessage("maxMessages and maxBytes must be at least 1, not 0 and 1");
  }

  @Test
  void shouldHaveTheConfiguredNumberOfRanges() {
    for (int ranges : new int[] {1, 3, 4, 4096}) {
      assertThat(InboxKeys.evenSplits(withRanges(ranges).initialRanges()))
          .hasSize(ranges - 1)
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void shouldStartWithHalfAsManyRangesAsProcessors() {
    assertThat(withRanges(3).initialRangesOn(64)).isEqualTo(3);
    assertThat(withRanges(0).initialRangesOn(1)).isEqualTo(1);
    assertThat(withRanges(0).initialRangesOn(2)).isEqualTo(1);
    assertThat(withRanges(0).initialRangesOn(8)).isEqualTo(4);
    assertThat(withRanges(0).initialRangesOn(64)).isEqualTo(16);
  }

  @Test
  void shouldEvictTheLeastRecentlyUsedInboxAndReloadIt() {
    InboxSettings defaults = TestInboxes.settings(InboxLimits.DEFAULT);
    InboxSettings smallCache =
        RecordBuilder.from(defaults)
            .with(InboxSettings::initialRanges, 1)
            .with(InboxSettings::cachedInboxes, 2)
            .with(InboxSettings::commitLinger, Duration.ZERO)
            .with(InboxSettings::maxCommitInboxes, 1)
            .with(InboxSettings::maxCommitSpan, 1)
            .with(InboxSettings::busyBackoff, Duration.ofMillis(1))
            .with(InboxSettings::maxBusyRetries, 0)
            .with(InboxSettings::sweepItems, 1)
            .with(InboxSettings::sweepSteps, 1)
            .build();
    try (TestInboxes inboxes = new TestInboxes(smallCache)) {
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
