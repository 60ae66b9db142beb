package io.fjordmq.broker.rest;

import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.ApiReply;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the results of operations into HTTP responses. Thread-safe. */
final class Replies {
  private static final Logger LOG = LoggerFactory.getLogger(Replies.class);
  private static final String JSON = "application/json";
  private static final byte[] NOTHING = {};

  private final Json json;

  Replies(Json json) {
    this.json = json;
  }

  /** The response for a result or a failure; one of them is null. */
  ApiReply of(ApiCall call, @Nullable Response response, @Nullable Throwable failure) {
    if (failure != null) {
      return error(call, cause(failure));
    }
    if (response == null || response.json() == null) {
      return new ApiReply(response == null ? 204 : response.status(), "", Map.of(), NOTHING);
    }
    try {
      return new ApiReply(response.status(), JSON, Map.of(), json.write(response.json()));
    } catch (RuntimeException e) {
      return error(call, e);
    }
  }

  /** The failure that the futures of an operation wrap. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private ApiReply error(ApiCall call, Throwable failure) {
    if (failure instanceof ApiException expected) {
      return error(expected);
    }
    if (failure instanceof TimeoutException) {
      return error(
          new ApiException(
              ErrorCode.TIMEOUT, "the operation did not complete in time and may still complete"));
    }
    String id = Long.toHexString(ThreadLocalRandom.current().nextLong());
    LOG.error(
        "Failed to handle an API request; please report it id={} method={} path={}",
        id,
        call.method(),
        Excerpt.of(call.path()),
        failure);
    return error(
        new ApiException(
            ErrorCode.INTERNAL_ERROR,
            "the request failed because of a bug; the log of this node contains details under id="
                + id));
  }

  private ApiReply error(ApiException expected) {
    return new ApiReply(
        expected.status(),
        JSON,
        expected.headers(),
        json.write(new ErrorBody(expected.code().name(), expected.getMessage())));
  }
}
