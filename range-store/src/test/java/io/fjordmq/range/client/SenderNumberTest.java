package io.fjordmq.range.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SenderNumberTest {
  private static final Duration REGISTER_AGAIN_AFTER = Duration.ofMillis(400);

  private static final RangeClientSettings SETTINGS =
      RecordBuilder.from(RangeClientSettings.DEFAULTS)
          .with(RangeClientSettings::maxCommandBytes, 100)
          .with(RangeClientSettings::maxBatchBytes, 200)
          .with(RangeClientSettings::maxBatchCommands, 3)
          .with(RangeClientSettings::maxBatchResponseBytes, 1_000)
          .with(RangeClientSettings::batchInterval, Duration.ZERO)
          .with(RangeClientSettings::flushCommands, 1)
          .with(RangeClientSettings::maxQueuedCommands, 5)
          .with(RangeClientSettings::maxQueuedBytes, 1_000)
          .with(RangeClientSettings::maxQueries, 2)
          .with(RangeClientSettings::deadline, Duration.ofMillis(1_000))
          .with(RangeClientSettings::attemptTimeout, Duration.ofMillis(100))
          .with(RangeClientSettings::backoff, Duration.ofMillis(10))
          .with(RangeClientSettings::maxBackoff, Duration.ofMillis(40))
          .with(RangeClientSettings::reregisterAfter, REGISTER_AGAIN_AFTER)
          .build();

  private final ManualTimers timers = new ManualTimers();
  private final FakeRanges ranges = new FakeRanges();
  private final RoutedRangeClient client =
      new RoutedRangeClient(
          "words",
          List.of(
              new RangeDescriptor(
                  new RangeId("words", 1),
                  KeyInterval.ALL,
                  new RangeEpoch(1, 1),
                  ReplicaSet.ofVoters(new NodeId("a")))),
          ranges,
          timers,
          SETTINGS,
          RangeObserver.NONE);

  private CompletableFuture<byte[]> mutate(String command) {
    return client.mutate(new byte[] {'a'}, command.getBytes(UTF_8));
  }

  private FakeRanges.BatchAttempt lastBatch() {
    FakeRanges.BatchAttempt last = ranges.takeBatch();
    while (!ranges.batches.isEmpty()) {
      last = ranges.takeBatch();
    }
    return last;
  }

  /**
   * An attempt may still be in flight; under a new sender number the range could not recognize it
   * as outdated.
   */
  @Test
  void shouldKeepTheSenderNumberOfARecentlyAbandonedBatch() {
    CompletableFuture<byte[]> lost = mutate("a1");
    timers.advance(Duration.ofMillis(1_050));
    assertThat(lost).isCompletedExceptionally();
    FakeRanges.BatchAttempt abandoned = lastBatch();
    mutate("a2");
    FakeRanges.BatchAttempt next = lastBatch();
    assertThat(next.sender()).isEqualTo(abandoned.sender());
    assertThat(next.number()).isGreaterThan(abandoned.number());
  }

  @Test
  void shouldRegisterAgainLongAfterTheLastAttempt() {
    mutate("a1");
    timers.advance(Duration.ofMillis(1_050));
    FakeRanges.BatchAttempt abandoned = lastBatch();
    timers.advance(REGISTER_AGAIN_AFTER.plusMillis(1));
    mutate("a2");
    assertThat(lastBatch().sender()).isNotEqualTo(abandoned.sender());
  }
}
