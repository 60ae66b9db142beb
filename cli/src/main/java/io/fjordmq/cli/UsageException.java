package io.fjordmq.cli;

/** The command line is invalid. The message says what is allowed. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
