package io.fjordmq.perf.tool;

import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.ScenarioFiles;
import java.util.Optional;
import java.util.function.Function;

/**
 * {@code --list}.
 *
 * @param obstacle why nodes cannot be limited so here
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
                  : "; here only --without " + Omission.NODE_LIMITS;
          out.append(LINE.formatted("", "  each node has " + limits + " at most" + here));
        }
        if (!scenario.published().isEmpty()) {
          out.append(LINE.formatted("", "  published: " + scenario.published()));
        }
      }
      out.append("\n");
    }
    out.append("Any other name of these forms can be run as well; see docs/PERFORMANCE.md.\n");
    return out.toString();
  }
}
