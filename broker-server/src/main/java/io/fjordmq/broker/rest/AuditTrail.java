package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.http.ApiCall;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
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
   * Records a request when its response is known.
   *
   * @param request null if it was not valid or not authorized
   */
  CompletableFuture<Response> of(
      ApiCall call,
      Operation operation,
      Caller caller,
      @Nullable Request request,
      CompletableFuture<Response> response) {
    if (operation.method() == Operation.Method.GET) {
      return response;
    }
    // The path is all that is known about an invalid request.
    String target = request == null ? call.path() : operation.target(request);
    return response.whenComplete(
        (result, failure) ->
            record(call, operation, caller, target, Replies.status(result, failure)));
  }

  /** Records a request of an anonymous operation if it succeeds. */
  CompletableFuture<Response> anonymous(
      ApiCall call, Request request, CompletableFuture<Response> response) {
    Operation operation = request.operation();
    if (operation.method() == Operation.Method.GET) {
      return response;
    }
    return response.thenApply(
        result -> {
          record(call, operation, null, operation.target(request), result.status());
          return result;
        });
  }

  private void record(
      ApiCall call, Operation operation, @Nullable Caller caller, String target, int status) {
    log.record(
        new AuditRecord(
            Instant.now(), caller, call.remoteAddress(), operation.id(), target, status));
  }
}
