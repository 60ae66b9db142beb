package io.fjordmq.broker.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A start that is expected to fail and exit.
 *
 * @param exitCode of the process
 * @param output everything it printed to its caller
 * @param log what it wrote into its log file; empty if there is none
 */
record StartAttempt(int exitCode, String output, String log) {
  private static final long TIMEOUT_SECONDS = 60;

  /** Starts in the directory, with data and logs below it unless the configuration says where. */
  static StartAttempt in(Path folder, String configuration, Map<String, String> environment) {
    return run(folder, configuration, environment, List.of(folder), List.of());
  }

  /** The same, with the command given to another one that runs it. */
  static StartAttempt wrapped(Path folder, String configuration, List<String> wrapper) {
    return run(folder, configuration, Map.of(), List.of(folder), wrapper);
  }

  /** The same, with data and logs where the configuration says. */
  static StartAttempt wrappedInConfiguredDirectories(
      Path folder, String configuration, List<String> wrapper) {
    return run(folder, configuration, Map.of(), List.of(), wrapper);
  }

  static StartAttempt inConfiguredDirectories(Path folder, String configuration) {
    return run(folder, configuration, Map.of(), List.of(), List.of());
  }

  private static StartAttempt run(
      Path folder,
      String configuration,
      Map<String, String> environment,
      List<Path> base,
      List<String> wrapper) {
    try {
      Path file = folder.resolve("standalone.yml");
      Files.createDirectories(folder);
      Files.writeString(file, configuration);
      Path output = folder.resolve("output.log");
      Process process = new BrokerCommand(wrapper, "OFF", file, base).start(output, environment);
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("still running, printed: " + Files.readString(output));
      }
      Path log = folder.resolve("logs/fjordmq.log");
      return new StartAttempt(
          process.exitValue(),
          Files.readString(output),
          Files.exists(log) ? Files.readString(log) : "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
