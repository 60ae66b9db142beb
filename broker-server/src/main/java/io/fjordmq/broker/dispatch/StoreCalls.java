package io.fjordmq.broker.dispatch;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Wraps calls to the stores. */
public final class StoreCalls {
  private StoreCalls() {}

  /** Makes the call. If the call throws an exception, the returned future fails with it. */
  public static <T> CompletableFuture<T> tryCall(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  static <T> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
    from.whenComplete((value, fault) -> complete(to, value, fault));
  }

  static <T> void complete(CompletableFuture<T> future, T value, @Nullable Throwable fault) {
    if (fault == null) {
      future.complete(value);
    } else {
      future.completeExceptionally(fault);
    }
  }
}
