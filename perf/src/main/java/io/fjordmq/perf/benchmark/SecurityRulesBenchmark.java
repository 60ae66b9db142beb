package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.scenario.Scenario;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures the cost of access rules per message. A node with rules and one without run at the same
 * time, and the load alternates between them.
 */
final class SecurityRulesBenchmark {
  private static final String LOAD = "pairs_clean_qos0_p32";

  private SecurityRulesBenchmark() {}

  static void run(BenchmarkRun run) throws Exception {
    int rules = run.number("rules");
    Path acl = run.settings().work().resolve("acl");
    Files.writeString(
        acl,
        IntStream.range(1, rules)
                .mapToObj(i -> "topic readwrite elsewhere/" + i + "/#\n")
                .collect(Collectors.joining())
            + "topic readwrite perf/+/+\n");
    String security = "securityConfig: {allowAnonymous: true, aclFile: " + acl + "}";
    Scenario load = run.scenario(LOAD);
    try (RunningBroker restricted = run.startNode(rules + " rules", security);
        RunningBroker open = run.startNode("without rules", "")) {
      for (int i = 0; i < run.settings().runs(); i++) {
        for (RunningBroker broker : List.of(restricted, open)) {
          int warm = run.settings().warmSeconds();
          run.add(run.load(broker, broker.name(), load, warm, run.settings().seconds()));
        }
      }
    }
  }
}
