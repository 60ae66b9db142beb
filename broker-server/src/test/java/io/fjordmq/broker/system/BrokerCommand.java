package io.fjordmq.broker.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command that starts a broker from the classes under test, logging the way {@code
 * conf/logback.xml} says.
 *
 * @param wrapper what the command is given to, to run it under some limit; mostly empty
 * @param console Logback level of the lines that are also printed
 * @param configuration the file
 * @param base where data and logs go; not named on the command line if it is empty
 */
record BrokerCommand(List<String> wrapper, String console, Path configuration, List<Path> base) {
  /** A small node that starts quickly; {@code -Dfjordmq.broker.jvm=...} for measurements. */
  private static final String JVM_OPTIONS =
      System.getProperty("fjordmq.broker.jvm", "-Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1");

  /** Starts it, with both outputs in one file. */
  Process start(Path output, Map<String, String> environment) {
    return start(output, environment, SharedClasses.options());
  }

  /**
   * The same with classes from somewhere else.
   *
   * @param classes options of the JVM that say from where
   */
  Process start(Path output, Map<String, String> environment, List<String> classes) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(line(classes))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> line(List<String> classes) {
    List<String> line = new ArrayList<>(wrapper);
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of(JVM_OPTIONS.split(" ")));
    line.add("-ea");
    line.add("-Dio.netty.jfr.enabled=false"); // a tenth of the CPU that a start takes
    line.add("-Dcom.google.protobuf.use_unsafe_pre22_gencode=true");
    line.add("-Dlogback.configurationFile=" + home().resolve("conf/logback.xml"));
    line.add("-Dfjordmq.console=" + console);
    line.addAll(classes);
    line.addAll(List.of("io.fjordmq.broker.Main", "-c", configuration.toString()));
    base.forEach(directory -> line.addAll(List.of("-d", directory.toString())));
    return line;
  }

  /** The directory with bin and conf. */
  static Path home() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("bin/standalone.sh")) ? here : here.resolve("..").normalize();
  }
}
