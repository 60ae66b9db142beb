package io.fjordmq.broker.system;

import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code bin/standalone.sh} as an operator calls it, for one node in a directory of its own. */
record Script(Path home, Path folder, Path configuration) {
  private static final long TIMEOUT_SECONDS = 150; // longer than the script waits for a node

  /**
   * The result of a call.
   *
   * @param exitCode of the script
   * @param output all it printed
   */
  record Result(int exitCode, String output) {}

  static Script forNode(Path home, Path folder, int mqttPort, int httpPort) {
    try {
      Path configuration = Files.createDirectories(folder).resolve("node.yml");
      Files.writeString(
          configuration,
          """
          bootstrap: true
          mqttServerConfig:
            tcpListener:
              host: 127.0.0.1
              port: %d
          httpConfig:
            port: %d
          clusterConfig:
            port: %d
          """
              .formatted(mqttPort, httpPort, FreePorts.forCluster()));
      return new Script(home, folder, configuration);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Calls it and waits for its end. */
  Result call(String action) {
    try {
      Path output = Files.createTempFile(folder, action, ".out");
      Process process = launch(action, output);
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(action + " did not exit; printed " + Files.readString(output));
      }
      return new Result(process.exitValue(), Files.readString(output));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Calls it and lets it run. */
  Process launch(String action, Path output) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(home.resolve("bin/standalone.sh").toString());
    line.addAll(List.of(action, "-c", configuration.toString(), "-d", folder.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("FJORDMQ_JVM_OPTS", "-XX:TieredStopAtLevel=1"); // needs less CPU
    return builder.start();
  }

  String log() {
    try {
      return Files.readString(folder.resolve("logs/fjordmq.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
