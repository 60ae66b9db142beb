package io.fjordmq.range.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CommandBatchingTest extends RangeClientFixture {
  @Test
  void shouldSendTheFirstCommandImmediatelyAndCoalesceTheNextOnes() {
    CompletableFuture<byte[]> first = mutate("a1");
    CompletableFuture<byte[]> second = mutate("a2");
    CompletableFuture<byte[]> third = mutate("a3");
    FakeRanges.BatchAttempt one = ranges.takeBatch();
    assertThat(one.commands()).containsExactly("a1");
    assertThat(one.number()).isEqualTo(1);
    assertThat(ranges.batches).isEmpty();

    one.apply();
    assertThat(first).isCompletedWithValueMatching(response -> text(response).equals("a1"));
    FakeRanges.BatchAttempt two = ranges.takeBatch();
    assertThat(two.commands()).containsExactly("a2", "a3");
    assertThat(two.number()).isEqualTo(2);
    two.apply();
    assertThat(second).isCompletedWithValueMatching(response -> text(response).equals("a2"));
    assertThat(third).isCompletedWithValueMatching(response -> text(response).equals("a3"));
  }

  @Test
  void shouldKeepABatchWithinItsLimits() {
    for (String command : List.of("a1", "a2", "a3", "a4", "a5")) {
      mutate(command);
    }
    ranges.takeBatch().apply();
    assertThat(ranges.batches.element().commands()).containsExactly("a2", "a3", "a4");
    ranges.takeBatch().apply();
    String wide = "a".repeat(95);
    mutate(wide);
    mutate(wide);
    ranges.takeBatch().apply();
    assertThat(ranges.batches.element().commands()).containsExactly(wide); // two exceed 200 bytes
  }

  @Test
  void shouldSendCommandsSkippedByTheResponseLimitFirst() {
    mutate("a1");
    final CompletableFuture<byte[]> second = mutate("a2");
    final CompletableFuture<byte[]> third = mutate("a3");
    mutate("a4");
    mutate("a5");
    ranges.takeBatch().apply();
    assertThat(ranges.batches.element().maxBatchResponseBytes()).isEqualTo(50);
    ranges.takeBatch().apply(1);
    assertThat(second).isCompletedWithValueMatching(response -> text(response).equals("a2"));
    assertThat(third).isNotDone();
    FakeRanges.BatchAttempt next = ranges.takeBatch();
    assertThat(next.commands()).containsExactly("a3", "a4", "a5");
    assertThat(next.number()).isEqualTo(3);
    next.apply();
    assertThat(third).isCompletedWithValueMatching(response -> text(response).equals("a3"));
    assertThat(client.status().ranges().get(0).queuedBytes()).isZero();
  }

  @Test
  void shouldSendCommandsOfACallbackAfterQueuedOnes() {
    mutate("a1").thenRun(() -> mutate("a9"));
    mutate("a2");
    ranges.takeBatch().apply();
    ranges.takeBatch().apply();
    assertThat(ranges.batches).isEmpty();
    assertThat(client.status().ranges().get(0).queuedCommands()).isZero();
  }

  @Test
  void shouldBatchCommandsBrieflyWhenARangeIsBusy() {
    RoutedRangeClient paced =
        new RoutedRangeClient(
            "words",
            List.of(range(1, "", null, 1)),
            ranges,
            timers,
            RangeClientSettings.DEFAULTS,
            RangeObserver.NONE);
    for (String command : List.of("a1", "a2", "a3")) {
      paced.mutate(bytes(command), bytes(command));
    }
    ranges.takeBatch().apply();
    assertThat(ranges.batches.element().commands()).containsExactly("a2", "a3");
    ranges.takeBatch().apply();
    paced.mutate(bytes("a4"), bytes("a4"));
    paced.mutate(bytes("a5"), bytes("a5"));
    assertThat(ranges.batches).isEmpty();
    timers.advance(RangeClientSettings.DEFAULTS.batchInterval());
    assertThat(ranges.takeBatch().commands()).containsExactly("a4", "a5");
  }

  @Test
  void shouldRejectCommandsAsBusyWhenTheQueueIsFull() {
    for (int i = 0; i < 6; i++) { // one in flight, five queued
      assertThat(mutate("a" + i)).isNotDone();
    }
    assertThat(kindOf(mutate("a6"))).isEqualTo(RangeException.Kind.BUSY);
    assertThat(mutate("z")).isNotDone(); // the other range has capacity
    ranges.takeBatch().apply();
    assertThat(mutate("a7")).isNotDone();
  }

  @Test
  void shouldRejectACommandThatIsTooLargeForAnEntry() {
    assertThat(kindOf(mutate("a".repeat(101)))).isEqualTo(RangeException.Kind.TOO_LARGE);
    assertThat(ranges.batches).isEmpty();
  }
}
