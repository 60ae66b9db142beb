package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.CredentialsException;
import java.util.concurrent.CompletableFuture;

/** Turns failures of accounts into error responses. */
final class AccountFailures {
  private AccountFailures() {}

  /**
   * Returns a future that fails with {@link ApiException} where the given one fails with {@link
   * CredentialsException} or {@code RecordException}.
   *
   * @param notFound the code if the account does not exist
   * @param wrongCredentials the code if a password, secret or API key is wrong
   */
  static <T> CompletableFuture<T> translate(
      CompletableFuture<T> result, ErrorCode notFound, ErrorCode wrongCredentials) {
    return ExpectedFailures.translate(
        RecordFailures.translate(result, notFound),
        CredentialsException.class,
        failure -> asApiException(failure, wrongCredentials));
  }

  static ApiException asApiException(CredentialsException failure, ErrorCode wrongCredentials) {
    ErrorCode code =
        switch (failure.kind()) {
          case WRONG_CREDENTIALS -> wrongCredentials;
          case TOKEN_INVALID -> ErrorCode.BAD_TOKEN;
          case TOKEN_EXPIRED -> ErrorCode.TOKEN_TIME_OUT;
          case TOO_MANY_FAILURES -> ErrorCode.TOO_MANY_REQUESTS;
          case BUSY -> ErrorCode.SERVICE_UNAVAILABLE;
        };
    return new ApiException(code, String.valueOf(failure.getMessage()));
  }
}
