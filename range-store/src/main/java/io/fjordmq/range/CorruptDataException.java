package io.fjordmq.range;

/** Stored or received bytes are not what they should be. */
public final class CorruptDataException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public CorruptDataException(String message) {
    super(message);
  }
}
