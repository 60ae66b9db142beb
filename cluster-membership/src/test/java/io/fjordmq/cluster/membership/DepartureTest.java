package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.metadata.NodeRecord;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A node that stops tells the cluster, also while the metadata changes its leader. */
class DepartureTest {
  private static final long PATIENCE_MILLIS = 2_000;

  private final ManualTimers timers = new ManualTimers();
  private int attempts;
  private long leaderFromMillis;
  private Kind failure = Kind.NOT_LEADER;
  private final Departure departure = new Departure(this::write, timers);

  private CompletableFuture<Void> write(NodeRecord.State state) {
    attempts++;
    return timers.now >= leaderFromMillis
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.<Void>failedFuture(new ConsensusException(failure, "in this test"))
            .thenApply(done -> done); // wrapped, as the caller of write() sees it
  }

  @Test
  void shouldBeWrittenOnceTheMetadataHasALeader() {
    leaderFromMillis = 1_000;
    CompletableFuture<Void> written = departure.write(NodeRecord.State.DOWN, PATIENCE_MILLIS);
    timers.runUntil(999);
    assertThat(written).isNotDone();
    timers.runUntil(1_100);
    assertThat(written).isCompleted();
  }

  @Test
  void shouldBeGivenUpAfterTheTimeAllowed() {
    leaderFromMillis = Long.MAX_VALUE;
    CompletableFuture<Void> written = departure.write(NodeRecord.State.DOWN, PATIENCE_MILLIS);
    timers.runUntil(PATIENCE_MILLIS);
    assertThatThrownBy(written::join).hasMessageContaining("in this test");
  }

  @Test
  void shouldNotBeRepeatedWhenItWasRejected() {
    leaderFromMillis = Long.MAX_VALUE;
    failure = Kind.BUSY;
    CompletableFuture<Void> written = departure.write(NodeRecord.State.DOWN, PATIENCE_MILLIS);
    assertThat(written).isCompletedExceptionally();
    assertThat(attempts).isEqualTo(1);
  }

  /** Time that passes when the test says so. */
  private static final class ManualTimers implements SerialTimers {
    private record Task(long atMillis, Runnable action) {}

    private final Queue<Task> tasks = new ArrayDeque<>();
    private long now;

    @Override
    public long nowMillis() {
      return now;
    }

    @Override
    public void schedule(long delayMillis, Runnable task) {
      tasks.add(new Task(now + delayMillis, task));
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    /** Each task schedules the next, so they are in order. */
    void runUntil(long millis) {
      while (!tasks.isEmpty() && tasks.element().atMillis() <= millis) {
        Task task = tasks.remove();
        now = task.atMillis();
        task.action().run();
      }
      now = millis;
    }
  }
}
