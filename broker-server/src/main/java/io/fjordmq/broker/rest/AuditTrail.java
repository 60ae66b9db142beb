package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.http.ApiCall;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records the changes that authenticated callers request, whether they succeed or not, and
 * successful logins. Requests without valid credentials are not recorded: anyone can send them, and
 * they would displace the other records. Thread-safe.
 */
final class AuditTrail {
  private final AuditLog log;

  AuditTrail(AuditLog log) {
    this.log = log;
  }

  /**
   * Begins to handle a request.
   *
   * @param caller null if the operation is anonymous
   */
  Entry begin(ApiCall call, Operation operation, @Nullable Caller caller) {
    return new Entry(call, operation, caller);
  }

  /** One request. */
  final class Entry {
    private final ApiCall call;
    private final Operation operation;
    private final @Nullable Caller caller;

    // The path is all that is known about an invalid request.
    private volatile String target;

    private Entry(ApiCall call, Operation operation, @Nullable Caller caller) {
      this.call = call;
      this.operation = operation;
      this.caller = caller;
      this.target = call.path();
    }

    /** Records that the request is valid; returns it. */
    Request valid(Request request) {
      target = operation.target(request);
      return request;
    }

    /**
     * Handles the request, and records the response that its caller gets.
     *
     * @param threads where the response is recorded, because operations complete on threads that
     *     must not wait for a log file
     */
    CompletableFuture<Response> record(
        Supplier<CompletableFuture<Response>> handler, Executor threads) {
      if (!isChange() && !isFirstOfAudited()) {
        return handler.get();
      }
      CompletableFuture<Response> response;
      try {
        response = handler.get();
      } catch (RuntimeException e) {
        response = CompletableFuture.failedFuture(e);
      }
      return response
          .copy()
          .orTimeout(call.deadlineNanos() - System.nanoTime(), TimeUnit.NANOSECONDS)
          .whenCompleteAsync(
              (result, failure) -> record(Replies.status(result, failure)), orHere(threads));
    }

    /** Records a response of an anonymous operation, unless it is a failure. */
    CompletableFuture<Response> recordSuccess(CompletableFuture<Response> response) {
      return isChange()
          ? response.thenApply(
              result -> {
                record(result.status());
                return result;
              })
          : response;
    }

    /** Runs tasks on this thread if the node is stopping, so that no record is lost. */
    private static Executor orHere(Executor threads) {
      return task -> {
        try {
          threads.execute(task);
        } catch (RejectedExecutionException e) {
          task.run();
        }
      };
    }

    /** Whether a list whose reading is recorded begins. The pages that follow have a cursor. */
    private boolean isFirstOfAudited() {
      return operation.isAudited() && !call.query().contains("cursor=");
    }

    private boolean isChange() {
      return operation.method() != Operation.Method.GET;
    }

    private void record(int status) {
      log.record(
          new AuditRecord(
              Instant.now(), caller, call.remoteAddress(), operation.id(), target, status));
    }
  }
}
