package io.fjordmq.common;

/**
 * Stored or replicated bytes cannot be decoded because they are corrupt or, as {@link
 * NewerFormatException}, come from a newer version.
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
