package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.common.ManualTimers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A stopping node notifies the cluster, even while metadata leadership moves. */
class FinalStateWriterTest {
  private static final long TIMEOUT_MILLIS = 2_000;

  private final ManualTimers timers = new ManualTimers();
  private int attempts;
  private long leaderFromMillis;
  private Kind failure = Kind.NOT_LEADER;
  private final FinalStateWriter leaveRecorder = new FinalStateWriter(this::write, timers);

  private CompletableFuture<Void> write(NodeRecord.State state) {
    attempts++;
    return timers.nowMillis() >= leaderFromMillis
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.<Void>failedFuture(new ConsensusException(failure, "in this test"))
            .thenApply(done -> done); // wrapped, as the caller of write() receives it
  }

  @Test
  void shouldWriteOnceTheMetadataHasALeader() {
    leaderFromMillis = 1_000;
    CompletableFuture<Void> written = leaveRecorder.write(NodeRecord.State.DOWN, TIMEOUT_MILLIS);
    runUntil(999);
    assertThat(written).isNotDone();
    runUntil(1_100);
    assertThat(written).isCompleted();
  }

  @Test
  void shouldFailAfterTheTimeout() {
    leaderFromMillis = Long.MAX_VALUE;
    CompletableFuture<Void> written = leaveRecorder.write(NodeRecord.State.DOWN, TIMEOUT_MILLIS);
    runUntil(TIMEOUT_MILLIS);
    assertThatThrownBy(written::join).hasMessageContaining("in this test");
  }

  @Test
  void shouldNotRetryARejectedWrite() {
    leaderFromMillis = Long.MAX_VALUE;
    failure = Kind.BUSY;
    CompletableFuture<Void> written = leaveRecorder.write(NodeRecord.State.DOWN, TIMEOUT_MILLIS);
    assertThat(written).isCompletedExceptionally();
    assertThat(attempts).isEqualTo(1);
  }

  private void runUntil(long millis) {
    timers.advance(Duration.ofMillis(millis - timers.nowMillis()));
  }
}
