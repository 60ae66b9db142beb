package io.fjordmq.inbox.client;

import io.fjordmq.common.OperationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes futures fail with the original exception rather than a {@link CompletionException}. */
final class FutureUnwrapper {
  private FutureUnwrapper() {}

  static <A, B extends @Nullable Object> CompletableFuture<B> map(
      CompletableFuture<A> call, Function<A, B> decode) {
    CompletableFuture<B> result = new CompletableFuture<>();
    complete(call, result, value -> result.complete(decode.apply(value)));
    return result;
  }

  /** Completes with the call, or exceptionally if the check throws. */
  static <A> CompletableFuture<Void> check(CompletableFuture<A> call, Consumer<A> check) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    complete(
        call,
        result,
        value -> {
          check.accept(value);
          result.complete(null);
        });
    return result;
  }

  private static <A> void complete(
      CompletableFuture<A> call, CompletableFuture<?> result, Consumer<A> onResult) {
    call.whenComplete(
        (value, failure) -> {
          if (failure != null) {
            result.completeExceptionally(OperationException.unwrap(failure));
            return;
          }
          try {
            onResult.accept(value);
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        });
  }
}
