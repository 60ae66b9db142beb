package io.fjordmq.broker.scenario;

import io.fjordmq.broker.testing.LeakDetector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs every scenario of {@code src/test/scenarios} with every version it names. */
@ExtendWith(LeakDetector.class)
class ScenarioTest {

  @TestFactory
  List<DynamicTest> scenarios() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Scenario scenario : ScenarioFile.all()) {
      for (int version : scenario.versions()) {
        tests.add(
            DynamicTest.dynamicTest(
                scenario.file()
                    + ":"
                    + scenario.line()
                    + " MQTT "
                    + version
                    + " "
                    + scenario.title(),
                () -> ScenarioRun.run(scenario, version)));
      }
    }
    return tests;
  }
}
