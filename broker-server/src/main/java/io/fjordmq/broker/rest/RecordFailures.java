package io.fjordmq.broker.rest;

import io.fjordmq.broker.records.RecordException;
import java.util.concurrent.CompletableFuture;

/** Turns failures of operations on replicated records into error responses. */
final class RecordFailures {
  private RecordFailures() {}

  /** Like {@link #translate(CompletableFuture, ErrorCode)} with {@link ErrorCode#NOT_FOUND}. */
  static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return translate(result, ErrorCode.NOT_FOUND);
  }

  /**
   * Returns a future that fails with {@link ApiException} where the given one fails with {@link
   * RecordException}.
   *
   * @param notFound the code if the record does not exist
   */
  static <T> CompletableFuture<T> translate(CompletableFuture<T> result, ErrorCode notFound) {
    return ExpectedFailures.translate(
        result, RecordException.class, failure -> asApiException(failure, notFound));
  }

  private static ApiException asApiException(RecordException failure, ErrorCode notFound) {
    ErrorCode code =
        switch (failure.kind()) {
          case INVALID -> ErrorCode.BAD_REQUEST;
          case NOT_FOUND -> notFound;
          case EXISTS -> ErrorCode.ALREADY_EXISTS;
          case CHANGED, FULL, AMBIGUOUS -> ErrorCode.CONFLICT;
          case UNAVAILABLE -> ErrorCode.SERVICE_UNAVAILABLE;
        };
    return new ApiException(code, String.valueOf(failure.getMessage()));
  }
}
