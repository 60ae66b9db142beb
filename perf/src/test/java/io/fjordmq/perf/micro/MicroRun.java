package io.fjordmq.perf.micro;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
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
 * @param benchmarks at least one
 * @param forks JVMs per benchmark, in succession; 0 for this JVM, which only checks that the
 *     benchmarks run
 * @param iterations measured iterations per JVM, after as many for warm-up
 * @param seconds per iteration
 * @param json file for the figures; its directory exists
 */
public record MicroRun(
    List<MicroBenchmark> benchmarks, int forks, int iterations, int seconds, Path json) {

  /** The tool's own file. The broker has one with the same name, and logback would report both. */
  private static final String LOGBACK_CONFIG = "/logback.xml";

  /** Options of a node, with memory for a million filters. */
  private static final String[] JVM_OPTIONS = {
    "-Xms256m",
    "-Xmx2g",
    "-XX:+UseSerialGC",
    "-Dio.netty.leakDetection.level=disabled",
    "-Dcom.google.protobuf.use_unsafe_pre22_gencode=true"
  };

  /**
   * Runs them and prints JMH's table. Blocks; only one run at a time is possible on this host.
   *
   * @throws RunnerException if a benchmark failed or another run is in progress
   */
  public void start() throws RunnerException {
    new Runner(options()).run();
  }

  Options options() {
    ChainedOptionsBuilder builder =
        new OptionsBuilder()
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .forks(forks)
            .jvmArgs(JVM_OPTIONS)
            .jvmArgsAppend(
                "-Dlogback.configurationFile=" + MicroRun.class.getResource(LOGBACK_CONFIG))
            .warmupIterations(forks == 0 ? 0 : iterations)
            .warmupTime(TimeValue.seconds(seconds))
            .measurementIterations(iterations)
            .measurementTime(TimeValue.seconds(seconds))
            .shouldFailOnError(true)
            .resultFormat(ResultFormatType.JSON)
            .result(json.toString());
    benchmarks.forEach(benchmark -> builder.include(benchmark.methodPattern()));
    return builder.build();
  }
}
