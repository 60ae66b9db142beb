package io.fjordmq.perf.scenario;

/**
 * Thrown if a scenario or an option is invalid; the message says what was found and what is
 * allowed.
 */
public final class UsageException extends RuntimeException {
  public UsageException(String message) {
    super(message);
  }
}
