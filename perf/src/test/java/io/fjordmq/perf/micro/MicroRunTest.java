package io.fjordmq.perf.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark runs once with small tables; the figures are not checked. */
class MicroRunTest {
  private static final String LOCK = "jmh.ignoreLock";

  @TempDir Path directory;

  /** Other JMH runs may continue: this test does not depend on the figures. */
  @BeforeAll
  static void ignoreJmhLock() {
    System.setProperty(LOCK, "true");
  }

  @AfterAll
  static void restoreJmhLock() {
    System.clearProperty(LOCK);
  }

  @Test
  void shouldRunEveryBenchmarkWithAllItsParameters() throws Exception {
    MicroRun run =
        new MicroRun(List.of(MicroBenchmark.values()), 0, 1, 1, directory.resolve("figures.json"));

    Map<String, Integer> runs = new TreeMap<>();
    for (RunResult result : runOnce(run)) {
      runs.merge(result.getParams().getBenchmark(), 1, Integer::sum);
      assertThat(result.getPrimaryResult().getSampleCount()).isEqualTo(1);
    }

    String here = "io.fjordmq.perf.micro.";
    assertThat(runs)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                here + "Decode.publish", 2,
                here + "Encode.deliver", 2,
                here + "FanOut.deliver", 2,
                here + "RouteMatch.match", 4,
                here + "InboxAppend.append", 2,
                here + "RangeApply.apply", 1));
    assertThat(Files.readString(run.json()))
        .contains("io.fjordmq.perf.micro.Decode.publish", "\"filters\" : \"1000\"");
  }

  private static Collection<RunResult> runOnce(MicroRun run) throws RunnerException {
    return new Runner(
            new OptionsBuilder()
                .parent(run.options())
                .mode(Mode.SingleShotTime)
                .verbosity(VerboseMode.SILENT)
                .param("filters", "10", "1000")
                .build())
        .run();
  }

  @Test
  void shouldFindBenchmarksByTheirLabel() {
    for (MicroBenchmark benchmark : MicroBenchmark.values()) {
      assertThat(MicroBenchmark.withLabel(benchmark.label())).contains(benchmark);
    }
    assertThat(MicroBenchmark.withLabel("route-match")).contains(MicroBenchmark.ROUTE_MATCH);
    assertThat(MicroBenchmark.withLabel("ROUTE_MATCH")).isEmpty();
  }
}
