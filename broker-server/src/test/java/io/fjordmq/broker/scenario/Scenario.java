package io.fjordmq.broker.scenario;

import java.util.List;

/**
 * One conversation.
 *
 * @param title what it shows, with the statements of the standard in brackets
 * @param file it stands in, for messages
 * @param line of its title
 * @param versions of MQTT it is run with, once each: 3 (MQTT 3.1), 4 (3.1.1), 5
 * @param settings statements that change a setting of the broker
 * @param steps in their order
 */
record Scenario(
    String title,
    String file,
    int line,
    List<Integer> versions,
    List<Statement> settings,
    List<Step> steps) {

  /**
   * What is done, and what the broker says to it.
   *
   * @param actions at least one
   * @param expected at least one; "nothing" stands alone
   */
  record Step(List<Statement> actions, List<Statement> expected) {}
}
