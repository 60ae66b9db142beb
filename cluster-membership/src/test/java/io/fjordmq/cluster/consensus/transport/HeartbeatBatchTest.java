package io.fjordmq.cluster.consensus.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Heartbeats that arrive together. */
final class HeartbeatBatchTest {
  private final List<String> handled = new ArrayList<>();
  private final Pool firstPool = new Pool();
  private final Pool secondPool = new Pool();
  private final OrderedWorker first = new OrderedWorker(firstPool);
  private final OrderedWorker second = new OrderedWorker(secondPool);
  private final HeartbeatBatch batch = new HeartbeatBatch();

  /** A pool whose tasks the test runs. */
  private static final class Pool extends AbstractExecutorService {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean full;

    @Override
    public void execute(Runnable task) {
      if (full) {
        throw new RejectedExecutionException();
      }
      tasks.add(task);
    }

    private void runNext() {
      tasks.remove().run();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }

  @Test
  void shouldHandleAllHeartbeatsInOneTask() {
    assertThat(batch.add(first, () -> handled.add("a"))).isTrue();
    assertThat(batch.add(second, () -> handled.add("b"))).isTrue();
    batch.execute();
    batch.execute(); // empty by now
    assertThat(firstPool.tasks).hasSize(1);
    assertThat(secondPool.tasks).isEmpty();
    firstPool.runNext();
    assertThat(handled).containsExactly("a", "b");
  }

  @Test
  void shouldNotOvertakeEarlierRequests() {
    second.execute(() -> handled.add("append"));
    assertThat(batch.add(first, () -> handled.add("a"))).isTrue();
    assertThat(batch.add(second, () -> handled.add("b"))).as("queued").isFalse();
    secondPool.tasks.add(() -> batch.add(second, () -> handled.add("c")));
    secondPool.runNext();
    assertThat(batch.add(second, () -> handled.add("d"))).as("ended").isTrue();
  }

  @Test
  void shouldNotOvertakeARequestThatIsBeingHandled() {
    second.execute(() -> assertThat(batch.add(second, () -> handled.add("b"))).isFalse());
    secondPool.runNext();
    second.execute(
        () -> {
          throw new IllegalStateException("the bug");
        });
    assertThatThrownBy(secondPool::runNext).isInstanceOf(IllegalStateException.class);
    assertThat(second.isIdle()).isTrue();
  }

  @Test
  void shouldHandleTheOthersIfOneFails() {
    batch.add(
        first,
        () -> {
          throw new IllegalStateException("the bug");
        });
    batch.add(first, () -> handled.add("b"));
    batch.execute();
    firstPool.runNext();
    assertThat(handled).containsExactly("b");
  }

  @Test
  void shouldDropTheHeartbeatsIfTheWorkerIsFull() {
    firstPool.full = true;
    batch.add(first, () -> handled.add("a"));
    assertThatThrownBy(batch::execute).isInstanceOf(RejectedExecutionException.class);
    assertThat(first.isIdle()).as("rejected tasks do not count").isTrue();
    firstPool.full = false;
    batch.execute();
    assertThat(firstPool.tasks).as("dropped").isEmpty();
  }
}
