package io.fjordmq.perf.scenario;

/** What was asked for cannot be understood; the message says what and what would be. */
public final class ScenarioException extends RuntimeException {
  public ScenarioException(String message) {
    super(message);
  }
}
