package io.fjordmq.broker.scenario;

import java.util.List;

/**
 * One conversation.
 *
 * @param title what it covers, with the statements of the standard in brackets
 * @param file that contains it, for messages
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
   * Actions, and the packets expected from the broker.
   *
   * @param actions at least one
   * @param expected at least one; "nothing" stands alone
   */
  record Step(List<Statement> actions, List<Statement> expected) {}
}
