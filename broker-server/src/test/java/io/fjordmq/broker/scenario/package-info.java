/**
 * Conversations with the broker as readable text: the files of {@code src/test/scenarios}, run by
 * {@code ScenarioTest} against the real pipeline and the real stores. {@code docs/SCENARIOS.md}
 * says how to write one.
 */
@NullMarked
package io.fjordmq.broker.scenario;

import org.jspecify.annotations.NullMarked;
