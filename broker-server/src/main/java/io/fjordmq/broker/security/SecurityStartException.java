package io.fjordmq.broker.security;

/**
 * Thrown if authentication, authorization or plugins cannot be set up as configured. The message
 * says what to do.
 */
public final class SecurityStartException extends Exception {
  private static final long serialVersionUID = 1;

  SecurityStartException(String message) {
    super(message);
  }

  SecurityStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
