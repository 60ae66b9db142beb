package io.fjordmq.broker.security;

/** Security cannot be had as it is configured; the message says what to do. */
public final class SecurityStartException extends Exception {
  private static final long serialVersionUID = 1;

  SecurityStartException(String message) {
    super(message);
  }

  SecurityStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
