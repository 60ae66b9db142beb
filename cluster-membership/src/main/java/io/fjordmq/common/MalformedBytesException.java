package io.fjordmq.common;

/**
 * Thrown if stored or replicated bytes cannot be decoded because they are corrupt or, as {@link
 * NewerFormatException}, because a newer version wrote them.
 */
public class MalformedBytesException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public MalformedBytesException(String message) {
    super(message);
  }

  public MalformedBytesException(String message, Throwable cause) {
    super(message, cause);
  }
}
