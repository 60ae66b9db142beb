package io.fjordmq.perf.tool;

import io.fjordmq.perf.scenario.ScenarioException;

/** What scenarios may need that the tool does not do, by the words {@code --without} takes. */
final class Needs {
  private Needs() {}

  /**
   * @throws ScenarioException if the word means nothing
   */
  static String meaning(String need) {
    return switch (need) {
      case "node-limits" -> "each node is limited in processors and memory";
      default -> throw new ScenarioException("there is no need called '" + need + "'");
    };
  }
}
