package io.fjordmq.broker.lifecycle;

/**
 * Thrown if the broker cannot start. The message tells the operator what is wrong, where, and what
 * to do; several problems are on separate lines.
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
