package io.fjordmq.broker.http;

import java.util.Locale;

/** A limit of {@link HttpSettings} that took effect. */
public enum HttpLimit {
  /** The longest idle connection was closed to admit a new one. */
  CONNECTIONS,
  /**
   * Too many requests for pages were in progress, so a request was rejected with 503 or a stalled
   * client was disconnected.
   */
  PENDING_REQUESTS,
  /**
   * Too many requests to the API were in progress, so a request was rejected with 503 or a stalled
   * client was disconnected.
   */
  PENDING_API_REQUESTS,
  /**
   * Too many response bytes were pending, so a request was rejected with 503 or a stalled client
   * was disconnected.
   */
  PENDING_RESPONSE_BYTES,
  /**
   * The requests to the API in progress used too much memory, so a request was rejected with 503.
   */
  PENDING_REQUEST_BYTES,
  /** A response was not ready in time, so the request was rejected with 503 or 504. */
  REQUEST_TIMEOUT,
  /** A client did not receive its response in time and was disconnected. */
  WRITE_TIMEOUT;

  /** The value of the metric label. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
