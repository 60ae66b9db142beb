package io.fjordmq.broker.rest;

import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import java.util.HashMap;
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
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final byte[] NOTHING = {};

  /** Responses must not be cached, and browsers must not interpret them as anything but JSON. */
  private static final Map<String, String> HEADERS =
      Map.of("Cache-Control", "no-store", "X-Content-Type-Options", "nosniff");

  private final Json json;

  Replies(Json json) {
    this.json = json;
  }

  /** The response for a result or a failure; one of them is null. */
  HttpReply of(ApiCall call, @Nullable Response response, @Nullable Throwable failure) {
    if (failure != null) {
      return error(call, cause(failure));
    }
    if (response == null || response.json() == null) {
      return new HttpReply(response == null ? 204 : response.status(), "", Map.of(), NOTHING);
    }
    if (response.json() instanceof Response.Text text) {
      return new HttpReply(response.status(), TEXT, HEADERS, text.utf8());
    }
    try {
      return new HttpReply(response.status(), JSON, HEADERS, json.writeOnce(response.json()));
    } catch (RuntimeException e) {
      return error(call, e);
    }
  }

  /** The status of {@link #of}. */
  static int status(@Nullable Response response, @Nullable Throwable failure) {
    if (failure == null) {
      return response == null ? 204 : response.status();
    }
    ApiException expected = expected(cause(failure));
    return (expected == null ? ErrorCode.INTERNAL_ERROR : expected.code()).status();
  }

  /** The error response for a failure; null if it is a bug. */
  private static @Nullable ApiException expected(Throwable failure) {
    if (failure instanceof ApiException expected) {
      return expected;
    }
    if (failure instanceof ApiCall.BodyException unreadable) {
      String message = String.valueOf(unreadable.getMessage());
      return switch (unreadable.kind()) {
        case UNREADABLE -> ApiException.badRequest(message);
        case TOO_LARGE -> new ApiException(ErrorCode.PAYLOAD_TOO_LARGE, message);
        case NO_MEMORY -> ApiException.busy(message);
      };
    }
    return failure instanceof TimeoutException
        ? new ApiException(
            ErrorCode.TIMEOUT, "the operation did not complete in time and may still complete")
        : null;
  }

  /** Returns the cause of a failure, without the exceptions in which futures wrap it. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private HttpReply error(ApiCall call, Throwable failure) {
    ApiException expected = expected(failure);
    if (expected != null) {
      return error(expected);
    }
    String id = Long.toHexString(ThreadLocalRandom.current().nextLong());
    LOG.error(
        "Failed to handle an API request; please report this bug id={} method={} path={}",
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

  private HttpReply error(ApiException expected) {
    Map<String, String> headers = new HashMap<>(HEADERS);
    headers.putAll(expected.headers());
    return new HttpReply(
        expected.status(),
        JSON,
        headers,
        json.write(new ErrorBody(expected.code().name(), expected.getMessage())));
  }
}
