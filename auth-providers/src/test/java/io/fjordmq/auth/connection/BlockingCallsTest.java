package io.fjordmq.auth.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.auth.ProviderException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BlockingCallsTest {
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);

  private String block() throws ProviderException {
    running.countDown();
    try {
      release.await();
      return "done";
    } catch (InterruptedException e) {
      interrupted.countDown();
      throw new ProviderException("interrupted", false, e);
    }
  }

  @Test
  void shouldDropCanceledCallsThatHaveNotBegun() throws Exception {
    try (BlockingCalls calls = new BlockingCalls("test", 1)) {
      CompletableFuture<String> first = calls.submit(this::block);
      AtomicInteger begun = new AtomicInteger();
      CompletableFuture<Integer> second = calls.submit(begun::incrementAndGet);
      CompletableFuture<Integer> third = calls.submit(() -> begun.get());
      second.cancel(true);
      release.countDown();
      assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("done");
      assertThat(third.get(10, TimeUnit.SECONDS)).isZero();
    }
  }

  @Test
  void shouldEndAllCallsWhenItIsClosed() throws Exception {
    BlockingCalls calls = new BlockingCalls("test", 1);
    CompletableFuture<String> first = calls.submit(this::block);
    CompletableFuture<String> waiting = calls.submit(() -> "never");
    assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
    calls.close();
    assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
    for (CompletableFuture<String> one : List.of(first, waiting)) {
      assertThatThrownBy(() -> one.get(10, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(ProviderException.class);
    }
    assertThatThrownBy(() -> calls.submit(() -> "late").get(10, TimeUnit.SECONDS))
        .hasMessageContaining("the provider is closed");
  }

  @Test
  void shouldPassOnWhatACallThrows() {
    try (BlockingCalls calls = new BlockingCalls("test", 1)) {
      assertThatThrownBy(
              () ->
                  calls
                      .submit(
                          () -> {
                            throw new IllegalStateException("broken");
                          })
                      .get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(IllegalStateException.class);
    }
  }
}
