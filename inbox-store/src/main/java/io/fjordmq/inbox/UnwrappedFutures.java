package io.fjordmq.inbox;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Futures that fail with the original exception and not with a {@link CompletionException}. */
final class UnwrappedFutures {
  private UnwrappedFutures() {}

  static <A, B extends @Nullable Object> CompletableFuture<B> map(
      CompletableFuture<A> call, Function<A, B> decode) {
    CompletableFuture<B> result = new CompletableFuture<>();
    settle(call, result, answer -> result.complete(decode.apply(answer)));
    return result;
  }

  /** Completes with the call, or exceptionally if the check throws. */
  static <A> CompletableFuture<Void> check(CompletableFuture<A> call, Consumer<A> check) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    settle(
        call,
        result,
        answer -> {
          check.accept(answer);
          result.complete(null);
        });
    return result;
  }

  private static <A> void settle(
      CompletableFuture<A> call, CompletableFuture<?> result, Consumer<A> onAnswer) {
    call.whenComplete(
        (answer, failure) -> {
          if (failure != null) {
            result.completeExceptionally(unwrap(failure));
            return;
          }
          try {
            onAnswer.accept(answer);
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        });
  }

  static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
