package io.fjordmq.broker.rest;

import io.fjordmq.broker.query.QueryException;
import io.fjordmq.broker.query.QueryException.Kind;
import java.util.concurrent.CompletableFuture;

/** Turns failures of queries into error responses. */
final class QueryErrors {
  private QueryErrors() {}

  /** Returns a handler whose queries fail with {@link ApiException}s. */
  static Operation.Handler translated(Operation.Handler handler) {
    return request -> {
      try {
        return handler.handle(request).exceptionallyCompose(QueryErrors::translate);
      } catch (QueryException e) {
        return translate(e);
      }
    };
  }

  private static CompletableFuture<Response> translate(Throwable failure) {
    Throwable cause = Replies.cause(failure);
    if (cause instanceof QueryException query) {
      cause =
          query.kind() == Kind.INVALID
              ? ApiException.badRequest(query.getMessage())
              : ApiException.unavailable(query.getMessage());
    }
    return CompletableFuture.failedFuture(cause);
  }
}
