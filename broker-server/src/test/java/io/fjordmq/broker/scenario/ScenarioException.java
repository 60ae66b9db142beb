package io.fjordmq.broker.scenario;

/** What is wrong with a scenario, and where: its author's mistake, or the broker's. */
final class ScenarioException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ScenarioException(String file, int line, String message) {
    super(file + ":" + line + ": " + message, null, false, true);
  }
}
