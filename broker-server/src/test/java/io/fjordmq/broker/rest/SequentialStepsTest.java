package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Asynchronous steps one after another. */
class SequentialStepsTest {
  private static final int MANY = 1_000_000;

  @Test
  void shouldNotDeepenTheStackWithStepsThatCompleteImmediately() {
    List<Integer> taken = new ArrayList<>();
    CompletableFuture<Void> done =
        SequentialSteps.run(
            MANY,
            i -> {
              taken.add(i);
              return CompletableFuture.completedFuture(true);
            });
    assertThat(done).isCompleted();
    assertThat(taken).hasSize(MANY).startsWith(0, 1).endsWith(MANY - 1);
  }

  @Test
  void shouldWaitForEachStepAndEndAtTheFirstFailure() {
    List<CompletableFuture<Void>> steps = new ArrayList<>();
    CompletableFuture<Void> done =
        SequentialSteps.run(
            5,
            i -> {
              steps.add(new CompletableFuture<>());
              return steps.get(i);
            });
    assertThat(steps).hasSize(1);
    steps.get(0).complete(null);
    assertThat(steps).hasSize(2);
    steps.get(1).completeExceptionally(new IllegalStateException("second"));
    assertThat(steps).hasSize(2);
    assertThat(done).isCompletedExceptionally();
  }
}
