package io.fjordmq.broker.lifecycle;

/**
 * The broker cannot start. The message is for the operator: what is wrong, where, and what to do.
 * Several problems are on separate lines.
 */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1;

  public StartException(String message) {
    super(message);
  }

  public StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
