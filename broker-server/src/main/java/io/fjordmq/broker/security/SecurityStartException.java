package io.fjordmq.broker.security;

/** The configured security cannot be set up; the message says what to do. */
public final class SecurityStartException extends Exception {
  private static final long serialVersionUID = 1;

  SecurityStartException(String message) {
    super(message);
  }

  SecurityStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
