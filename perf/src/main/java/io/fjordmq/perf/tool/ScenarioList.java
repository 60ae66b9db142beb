package io.fjordmq.perf.tool;

import io.fjordmq.perf.benchmark.Benchmark;
import io.fjordmq.perf.benchmark.Benchmarks;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.ScenarioFiles;
import java.util.Optional;
import java.util.function.Function;

/**
 * The output of {@code --list}.
 *
 * @param obstacle returns why nodes cannot be limited on this host; empty if they can
 */
record ScenarioList(ScenarioFiles files, Function<NodeLimits, Optional<String>> obstacle) {
  private static final String LINE = "%-46s %s%n";

  String text() {
    StringBuilder out = new StringBuilder();
    for (String name : files.names()) {
      out.append("# " + name + "\n");
      for (Scenario scenario : files.list(name)) {
        out.append(LINE.formatted(scenario.name(), scenario.summary()));
        NodeLimits limits = scenario.cluster().limits();
        if (!limits.isNone()) {
          String here =
              obstacle.apply(limits).isEmpty()
                  ? ""
                  : "; on this host, requires --without " + OptionalRequirement.NODE_LIMITS;
          out.append(LINE.formatted("", "  each node is limited to " + limits + here));
        }
        if (!scenario.published().isEmpty()) {
          out.append(LINE.formatted("", "  published: " + scenario.published()));
        }
      }
      out.append("\n");
    }
    out.append("# benchmarks\n");
    for (Benchmark benchmark : Benchmarks.ALL) {
      out.append(LINE.formatted(benchmark.name(), benchmark.summary()));
      if (!benchmark.parameters().isEmpty()) {
        out.append(LINE.formatted("", "  --set: " + benchmark.parametersText()));
      }
    }
    out.append("\n");
    out.append("Other names with the same pattern work as well; see docs/PERFORMANCE.md.\n");
    return out.toString();
  }
}
