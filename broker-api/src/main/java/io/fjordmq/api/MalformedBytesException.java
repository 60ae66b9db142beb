package io.fjordmq.api;

/** Stored or replicated bytes are not what they should be: damaged, or of a newer version. */
public class MalformedBytesException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public MalformedBytesException(String message) {
    super(message);
  }

  public MalformedBytesException(String message, Throwable cause) {
    super(message, cause);
  }
}
