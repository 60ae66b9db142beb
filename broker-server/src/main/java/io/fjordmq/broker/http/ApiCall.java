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
 * @param memory limits the total memory of all requests
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
    Memory memory,
    long deadlineNanos) {

  /** The same request with other credentials. */
  ApiCall withAuthorization(Optional<String> credentials) {
    return new ApiCall(
        method,
        path,
        query,
        credentials,
        contentType,
        origin,
        host,
        remoteAddress,
        body,
        memory,
        deadlineNanos);
  }

  /** Reads the body of a request. */
  @FunctionalInterface
  public interface Body {
    /**
     * Reads the whole body of a caller that is authenticated and may call the operation. Called at
     * most once.
     *
     * @return completes on any thread with the body, which is empty if there is none, or with a
     *     {@link BodyException}
     */
    CompletableFuture<byte[]> read();

    /**
     * Reads the whole body of a caller without credentials, instead of {@link #read}. The body may
     * have at most 16 KiB, and the request is aborted while it arrives if other requests need its
     * slot.
     */
    default CompletableFuture<byte[]> readAnonymous() {
      return read();
    }
  }

  /** Limits the total memory of all requests ({@code httpConfig.maxPendingRequestBytes}). */
  @FunctionalInterface
  public interface Memory {
    /** Does not limit memory; for tests. */
    Memory UNLIMITED = bytes -> true;

    /**
     * Reserves memory until the response has been prepared.
     *
     * @param bytes an estimate of what the request needs; adds to earlier reservations
     * @return false if the requests in progress leave too little; then nothing is reserved
     */
    boolean reserve(long bytes);
  }

  /** A body cannot be read. */
  public static final class BodyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The reason why a body cannot be read. */
    public enum Kind {
      /** It did not arrive in time, or the connection failed. */
      UNREADABLE,
      /** It exceeds the maximum size. */
      TOO_LARGE,
      /** The bodies of other requests occupy too much memory. */
      NO_MEMORY
    }

    private final Kind kind;

    BodyException(Kind kind, String message) {
      super(message, null, false, false);
      this.kind = kind;
    }

    /** The reason why the body cannot be read. */
    public Kind kind() {
      return kind;
    }
  }
}
