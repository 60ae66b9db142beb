package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.RunStatistics;
import io.fjordmq.perf.scenario.ClientUsers;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.UserStore;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;

/**
 * Measures the cost of access rules per message. A node whose clients have users with rules and a
 * node with anonymous clients run at the same time, and the load alternates between them.
 */
final class SecurityRulesBenchmark {
  private static final String WITHOUT = "without rules";
  private static final String LOAD = "pairs_clean_qos0_p32";

  private SecurityRulesBenchmark() {}

  static void run(BenchmarkRun run) throws Exception {
    // With SCRAM, the rules would be those of the database.
    List<UserStore> stores =
        UserStore.withUsers().stream().filter(store -> store != UserStore.SCRAM).toList();
    UserStore store = run.userStore("provider", stores);
    int rules = run.number("rules");
    Scenario open = run.scenario(LOAD);
    Scenario ruled = open.with(new ClientUsers(store, rules));
    String name = "%s, %d rules".formatted(store, rules);
    try (RunningBroker restricted = run.start(run.spec(name, ruled, ""));
        RunningBroker anonymous = run.start(run.spec(WITHOUT, open, ""))) {
      for (int i = 0; i <= run.settings().runs(); i++) {
        // Swap the order each time, because the host may get slower or faster during a pair.
        boolean restrictedFirst = i % 2 == 0;
        for (boolean first : List.of(true, false)) {
          boolean now = first == restrictedFirst;
          RunResult result = load(run, now ? restricted : anonymous, now ? ruled : open);
          if (i > 0) { // the first pair warms up
            run.add(result);
          }
        }
      }
    }
    double[] ratios = run.ratios(name, WITHOUT, ResultMetric.CPU_MICROS);
    DoubleSummaryStatistics range = Arrays.stream(ratios).summaryStatistics();
    run.note(
        ("with %s, a message takes %.3f times the CPU of a message without rules (median of %d"
                + " pairs; %.3f to %.3f)")
            .formatted(
                name, RunStatistics.median(ratios), ratios.length, range.getMin(), range.getMax()));
  }

  private static RunResult load(BenchmarkRun run, RunningBroker broker, Scenario load)
      throws Exception {
    return run.load(
        broker, broker.name(), load, run.settings().warmSeconds(), run.settings().seconds());
  }
}
