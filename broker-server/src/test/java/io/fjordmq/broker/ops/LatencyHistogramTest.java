package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.ops.LatencyHistogram.Bucket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Quantiles of what was added between two states of a histogram. */
class LatencyHistogramTest {
  private static LatencyHistogram of(long upTo10, long upTo20, long all) {
    return new LatencyHistogram(List.of(new Bucket(10, upTo10), new Bucket(20, upTo20)), all);
  }

  @Test
  void shouldInterpolateWithinBuckets() {
    assertThat(of(50, 100, 100).quantileNanosSince(LatencyHistogram.EMPTY, 0.5)).hasValue(10);
    assertThat(of(50, 100, 100).quantileNanosSince(LatencyHistogram.EMPTY, 0.75)).hasValue(15);
    assertThat(of(0, 100, 100).quantileNanosSince(LatencyHistogram.EMPTY, 0.01)).hasValue(10);
  }

  @Test
  void shouldConsiderOnlyWhatWasAdded() {
    assertThat(of(1_000, 1_010, 1_010).quantileNanosSince(of(1_000, 1_000, 1_000), 0.5))
        .hasValue(15);
    assertThat(of(5, 5, 5).quantileNanosSince(of(5, 5, 5), 0.5)).isEmpty();
  }

  @Test
  void shouldReturnTheLastBoundForLongerDurations() {
    assertThat(of(1, 2, 100).quantileNanosSince(LatencyHistogram.EMPTY, 0.99)).hasValue(20);
  }

  @Test
  void shouldReadTheMeters() {
    try (BrokerMetrics metrics = new BrokerMetrics("1")) {
      LatencyHistogram before = metrics.acknowledgements();
      for (int i = 0; i < 100; i++) {
        metrics.sessions().onAcknowledged(3_000_000);
      }
      LatencyHistogram after = metrics.acknowledgements();
      assertThat(after.count() - before.count()).isEqualTo(100);
      assertThat(after.quantileNanosSince(before, 0.99).orElseThrow())
          .isBetween(2_500_000L, 5_000_000L);
      metrics.sessions().onAcknowledged(100_000_000);
      assertThat(metrics.acknowledgements().quantileNanosSince(after, 0.5).orElseThrow())
          .isBetween(50_000_000L, 100_000_000L);
    }
  }
}
