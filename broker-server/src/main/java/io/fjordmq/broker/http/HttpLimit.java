package io.fjordmq.broker.http;

import java.util.Locale;

/** A limit of {@link HttpSettings} that took effect. */
public enum HttpLimit {
  /** The longest idle connection was closed for a new one. */
  CONNECTIONS,
  /**
   * Too many requests were in progress: rejected with 503, or a stalled client was disconnected.
   */
  PENDING_REQUESTS,
  /** Too many bytes waited for clients: rejected with 503, or a stalled client was disconnected. */
  PENDING_RESPONSE_BYTES,
  /** A page was not ready in time: rejected with 503. */
  REQUEST_TIMEOUT,
  /** A client did not receive its response in time and was disconnected. */
  WRITE_TIMEOUT;

  /** Its name in metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
