package io.fjordmq.range.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.RangeLoad;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

final class RangeMeterTest {
  private static final long SECOND = 1_000_000_000L;

  private final RangeMeter meter = new RangeMeter(Duration.ofSeconds(60), 1);

  private RangeLoad load() {
    return meter.load("inbox", "inbox-1", UnaryOperator.identity());
  }

  private void recordSecond(int commands, int queries) {
    meter.recordApplied(commands, commands * 10_000L, commands * 2_000L);
    for (int i = 0; i < queries; i++) {
      meter.recordQuery();
    }
    meter.tick(SECOND);
  }

  @Test
  void shouldReportMinimumMeanAndMaximumOfTheLatestSeconds() {
    for (int i = 1; i <= RangeMeter.WINDOW_SECONDS; i++) {
      recordSecond(i * 100, i);
    }
    assertThat(load().requests()).isEqualTo(new RangeLoad.Spread(101, 555.5, 1010));
    assertThat(load().busy().most()).isEqualTo(0.01);
    assertThat(load().ioNanos()).isEqualTo(2_000);
    assertThat(load().age()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void shouldCountMissingSecondsAsZero() {
    recordSecond(500, 0);
    assertThat(load().requests().least()).isZero();
    assertThat(load().requests().most()).isEqualTo(500);
  }

  @Test
  void shouldScaleATickByItsDuration() {
    meter.recordApplied(300, 0, 0);
    meter.tick(3 * SECOND);
    assertThat(load().requests().most()).isEqualTo(100);
  }

  @Test
  void shouldRememberOnlyThePeakOfTheLongerWindow() {
    recordSecond(900, 0);
    for (int i = 0; i < 30; i++) {
      recordSecond(10, 0);
    }
    assertThat(load().requests().most()).isEqualTo(10);
    assertThat(load().peakRequests()).isEqualTo(900);
    assertThat(load().observed()).isEqualTo(Duration.ofSeconds(31));
    for (int i = 0; i < 60; i++) {
      recordSecond(10, 0);
    }
    assertThat(load().peakRequests()).isEqualTo(10);
    assertThat(load().observed()).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void shouldReturnPermittedSplitKeysInOrder() {
    meter.recordAccess(new byte[] {(byte) 200, 1});
    meter.recordAccess(new byte[] {3, 9});
    meter.recordAccess(new byte[] {3, 4});
    RangeLoad load = meter.load("inbox", "inbox-1", key -> Arrays.copyOf(key, 1));
    assertThat(load.keys())
        .containsExactly(new byte[] {3}, new byte[] {3}, new byte[] {(byte) 200});
  }

  @Test
  void shouldForgetKeysFromBeforeTheWindow() {
    for (int change = 0; change < RangeMeter.WINDOW_SECONDS; change++) {
      RangeMeter changed = new RangeMeter(Duration.ofSeconds(60), change);
      for (int second = 0; second < change + 2 * RangeMeter.WINDOW_SECONDS; second++) {
        boolean before = second < change + RangeMeter.WINDOW_SECONDS;
        for (int i = 0; i < (before ? 20 : 600); i++) {
          changed.recordAccess(new byte[] {(byte) (before ? 1 : 2)});
        }
        changed.tick(SECOND);
      }
      assertThat(changed.load("inbox", "inbox-1", UnaryOperator.identity()).keys())
          .filteredOn(key -> key[0] == 1)
          .as("earlier keys, with the change in second %d of ten", change)
          .hasSizeLessThan(30);
    }
  }
}
