package io.fjordmq.broker;

/**
 * Why the broker does not start, said to whoever started it: what is wrong, where, and what to do.
 * A message with several lines is about several problems, one on each line.
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
