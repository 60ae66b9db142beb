package io.fjordmq.perf.tool;

/** The tool cannot do what the user asked for; the message says why and what would help. */
final class UsageException extends RuntimeException {
  UsageException(String message) {
    super(message);
  }
}
