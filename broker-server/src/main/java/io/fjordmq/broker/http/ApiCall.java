package io.fjordmq.broker.http;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A request to the API.
 *
 * @param method the method, in upper case
 * @param path the path, not decoded
 * @param query the query, not decoded; empty if there is none
 * @param authorization the header Authorization
 * @param contentType the header Content-Type
 * @param origin the header Origin, which browsers send with requests from web pages
 * @param host the host and port that the client addressed
 * @param remoteAddress the IP address of the client
 * @param body reads the body
 * @param deadlineNanos when the client gets a timeout instead of the response, in the time of
 *     {@link System#nanoTime}
 */
public record ApiCall(
    String method,
    String path,
    String query,
    Optional<String> authorization,
    Optional<String> contentType,
    Optional<String> origin,
    String host,
    String remoteAddress,
    Body body,
    long deadlineNanos) {

  /** Reads the body of a request. */
  @FunctionalInterface
  public interface Body {
    /**
     * Reads the whole body. Called at most once, for callers that may call the operation, so that
     * other clients cannot make the node buffer bodies.
     *
     * @return completes on any thread with the body, which is empty if there is none, or with a
     *     {@link BodyException}
     */
    CompletableFuture<byte[]> read();
  }

  /** A body cannot be read. */
  public static final class BodyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean tooLarge;

    BodyException(String message, boolean tooLarge) {
      super(message, null, false, false);
      this.tooLarge = tooLarge;
    }

    /** Whether the body exceeds {@code httpConfig.maxBodyBytes}. */
    public boolean isTooLarge() {
      return tooLarge;
    }
  }
}
