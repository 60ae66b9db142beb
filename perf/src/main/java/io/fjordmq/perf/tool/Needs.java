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
      case "redis-users" -> "users and their rights to topics come from Redis";
      case "node-limits" -> "each node is limited in processors and memory";
      case "leaving" -> "some clients leave after a random time and others take their place";
      default -> throw new ScenarioException("there is no need called '" + need + "'");
    };
  }
}
