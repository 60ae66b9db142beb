package io.fjordmq.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
  private final Deadlines deadlines = new Deadlines();

  @Test
  void shouldFailFuturesThatAreLateAndNoOthers() {
    List<CompletableFuture<String>> late = new ArrayList<>();
    CompletableFuture<String> patient = new CompletableFuture<>();
    deadlines.limit(patient, Duration.ofHours(1));
    for (int i = 0; i < 3; i++) { // also after all late ones have failed
      CompletableFuture<String> future = new CompletableFuture<>();
      late.add(deadlines.limit(future, Duration.ofMillis(1)));
      assertThatThrownBy(future::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(TimeoutException.class);
    }
    assertThat(late).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(patient).isNotDone();
    patient.complete("in time");
    assertThat(patient).isCompletedWithValue("in time");
  }

  @Test
  void shouldForgetFuturesThatAreComplete() {
    CompletableFuture<String> done = CompletableFuture.completedFuture("done");
    assertThat(deadlines.limit(done, Duration.ZERO)).isSameAs(done);
    CompletableFuture<String> future = new CompletableFuture<>();
    deadlines.limit(future, Duration.ofHours(1));
    assertThat(deadlines.size()).isEqualTo(1);
    future.completeExceptionally(new IllegalStateException());
    assertThat(deadlines.size()).isZero();
  }
}
