package io.fjordmq.perf.micro;

import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * A run of microbenchmarks.
 *
 * @param benchmarks which; at least one
 * @param forks JVMs that each is measured in, one after the other; 0 for this one, where each is
 *     run but nothing can be learned about its speed
 * @param iterations that are measured in each JVM, after as many that are not
 * @param seconds each takes
 * @param json where the figures go; its folder is there
 */
public record MicroRun(
    List<MicroBenchmark> benchmarks, int forks, int iterations, int seconds, Path json) {

  /** The tool's own; the broker has one of that name, too, and logback says so at length. */
  private static final String LOGGING = "/logback.xml";

  /** As a node runs, but with room for a million filters. */
  private static final String[] JVM = {
    "-Xms256m",
    "-Xmx2g",
    "-XX:+UseSerialGC",
    "-Dio.netty.leakDetection.level=disabled",
    "-Dcom.google.protobuf.use_unsafe_pre22_gencode=true"
  };

  /**
   * Runs them and prints JMH's table. Blocks; only one run at a time has this machine.
   *
   * @throws RunnerException if a benchmark failed or another run has the machine
   */
  public void start() throws RunnerException {
    new Runner(options()).run();
  }

  Options options() {
    ChainedOptionsBuilder builder =
        new OptionsBuilder()
            .forks(forks)
            .jvmArgs(JVM)
            .jvmArgsAppend("-Dlogback.configurationFile=" + MicroRun.class.getResource(LOGGING))
            .warmupIterations(forks == 0 ? 0 : iterations)
            .warmupTime(TimeValue.seconds(seconds))
            .measurementIterations(iterations)
            .measurementTime(TimeValue.seconds(seconds))
            .shouldFailOnError(true)
            .resultFormat(ResultFormatType.JSON)
            .result(json.toString());
    benchmarks.forEach(benchmark -> builder.include(benchmark.methods()));
    return builder.build();
  }
}
