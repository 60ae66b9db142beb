package io.fjordmq.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BoundedCallsTest {
  private final BoundedCalls calls = new BoundedCalls(2);

  @Test
  void shouldMakeCallsInOrderUpToTheConcurrencyLimit() {
    List<Integer> made = new ArrayList<>();
    List<CompletableFuture<String>> open = new ArrayList<>();
    List<CompletableFuture<String>> results = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int number = i;
      open.add(new CompletableFuture<>());
      results.add(
          calls.run(
              () -> {
                made.add(number);
                return open.get(number);
              }));
    }
    assertThat(made).containsExactly(0, 1);
    open.get(1).complete("one");
    assertThat(made).containsExactly(0, 1, 2);
    open.get(0).completeExceptionally(new IllegalStateException("down"));
    assertThat(made).containsExactly(0, 1, 2, 3);
    for (int i = 2; i < 5; i++) {
      open.get(i).complete("done");
    }

    assertThat(made).containsExactly(0, 1, 2, 3, 4);
    assertThat(results.get(0)).isCompletedExceptionally();
    assertThat(results.get(1)).isCompletedWithValue("one");
    assertThat(results.get(4)).isCompletedWithValue("done");
  }

  @Test
  void shouldNotGrowTheStackWhenManyCallsCompleteImmediately() {
    CompletableFuture<String> first = new CompletableFuture<>();
    calls.run(() -> first);
    CompletableFuture<String> second = new CompletableFuture<>();
    calls.run(() -> second);
    List<CompletableFuture<String>> rest = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      rest.add(calls.run(() -> CompletableFuture.completedFuture("at once")));
    }
    first.complete("go on");
    assertThat(rest).allMatch(CompletableFuture::isDone);
  }

  @Test
  void shouldFailTheResultWhenTheCallThrows() {
    CompletableFuture<String> result =
        calls.run(
            () -> {
              throw new IllegalStateException("not open");
            });
    assertThat(result).isCompletedExceptionally();
  }
}
