package io.fjordmq.perf.scenario;

/** A scenario is invalid; the message says what was found and what is allowed. */
public final class ScenarioException extends RuntimeException {
  public ScenarioException(String message) {
    super(message);
  }
}
