package io.fjordmq.broker.scenario;

/** Describes an error in a scenario or an unexpected answer of the broker, with its position. */
final class ScenarioException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ScenarioException(String file, int line, String message) {
    super(file + ":" + line + ": " + message, null, false, true);
  }
}
