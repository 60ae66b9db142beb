package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ResumeQueueTest {
  private final ResumeQueue queue = new ResumeQueue(10);
  private final List<CompletableFuture<Void>> started = new ArrayList<>();

  private CompletableFuture<Void> run(int weight) {
    return run(new Object(), weight);
  }

  private CompletableFuture<Void> run(Object session, int weight) {
    return queue.run(
        session,
        weight,
        () -> {
          CompletableFuture<Void> work = new CompletableFuture<>();
          started.add(work);
          return work;
        });
  }

  @Test
  void shouldStartWorkUpToTheLimit() {
    run(4);
    run(6);
    CompletableFuture<Void> last = run(1);
    assertThat(started).hasSize(2);
    assertThat(queue.waitingCount()).isEqualTo(1);
    started.get(0).complete(null);
    assertThat(started).hasSize(3);
    assertThat(last).isNotDone();
    started.get(2).complete(null);
    assertThat(last).isCompleted();
  }

  @Test
  void shouldStartWorkInOrderEvenIfLaterWorkWouldFit() {
    run(8);
    run(5);
    run(1);
    assertThat(started).hasSize(1);
    started.get(0).complete(null);
    assertThat(started).hasSize(3);
  }

  @Test
  void shouldRunWorkThatExceedsTheLimitAlone() {
    run(11);
    run(1);
    assertThat(started).hasSize(1);
    started.get(0).complete(null);
    assertThat(started).hasSize(2);
  }

  @Test
  void shouldContinueAfterAFailure() {
    CompletableFuture<Void> failing = run(10);
    run(10);
    started.get(0).completeExceptionally(new IllegalStateException("the store is unavailable"));
    assertThat(failing).isCompletedExceptionally();
    assertThat(started).hasSize(2);
  }

  @Test
  void shouldContinueAfterWorkThatThrows() {
    CompletableFuture<Void> failing =
        queue.run(
            this,
            10,
            () -> {
              throw new IllegalStateException("a fault");
            });
    assertThat(failing).isCompletedExceptionally();
    run(10);
    assertThat(started).hasSize(1);
  }

  @Test
  void shouldNotGrowTheStackWithWorkThatCompletesImmediately() {
    run(10);
    List<CompletableFuture<Void>> later = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      later.add(queue.run(i, 1, () -> CompletableFuture.completedFuture(null)));
    }
    assertThat(queue.waitingCount()).isEqualTo(100_000);
    started.get(0).complete(null);
    assertThat(later).allSatisfy(done -> assertThat(done).isCompleted());
    assertThat(queue.waitingCount()).isZero();
  }

  @Test
  void shouldLeaveTheQueueImmediately() {
    run(8);
    CompletableFuture<Void> heavy = run("heavy", 5);
    CompletableFuture<Void> next = run(2);
    queue.remove("heavy");
    assertThat(heavy).as("its work is skipped").isCompleted();
    assertThat(started).as("the work behind it can start").hasSize(2);
    assertThat(queue.waitingCount()).isZero();
    started.get(1).complete(null);
    assertThat(next).isCompleted();
  }

  @Test
  void shouldKeepThePermitsOfRunningWork() {
    CompletableFuture<Void> begun = run("begun", 10);
    run(1);
    queue.remove("begun");
    queue.remove("unknown");
    assertThat(begun).isNotDone();
    assertThat(started).as("its subscriptions are still under way").hasSize(1);
    started.get(0).complete(null);
    assertThat(started).hasSize(2);
  }
}
