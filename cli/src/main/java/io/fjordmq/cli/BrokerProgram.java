package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiFailure.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The broker on this host, which can check, print and convert configuration files without starting
 * a node. It runs in a separate process, because this program shares no classes with it.
 *
 * @param home the directory of FjordMQ
 * @param jars the directory of the broker's jars
 * @param configuration the configuration file that the command line chooses
 * @param dataDirectory the data directory if the option -d chooses it; null for that of the file
 */
record BrokerProgram(Path home, Path jars, Path configuration, @Nullable Path dataDirectory) {
  private static final String MAIN = "io.fjordmq.broker.Main";

  /**
   * The output of the program.
   *
   * @param code the exit code
   */
  record Result(int code, String out, String err) {
    boolean isSuccess() {
      return code == 0;
    }
  }

  /**
   * Returns the program on this host. The script sets the system properties {@code fjordmq.home},
   * {@code fjordmq.lib} and {@code fjordmq.configuration}.
   *
   * @param directory the value of the option -d; null if it is absent
   * @throws UsageException if the script did not start this process
   */
  static BrokerProgram find(@Nullable Path directory) {
    String home = System.getProperty("fjordmq.home");
    String lib = System.getProperty("fjordmq.lib");
    String configuration = System.getProperty("fjordmq.configuration");
    if (home == null || lib == null || configuration == null) {
      throw new UsageException("this command needs FjordMQ on this host; use bin/fjordmq");
    }
    return new BrokerProgram(
        Path.of(home),
        Path.of(lib),
        Path.of(configuration),
        directory == null ? null : directory.toAbsolutePath().resolve("data"));
  }

  /**
   * Runs the program and waits for its end.
   *
   * @throws ApiFailure if it cannot be run
   */
  Result run(String... arguments) {
    if (!Files.isDirectory(jars)) {
      throw new ApiFailure(
          Kind.REJECTED, jars + " does not exist; build FjordMQ with 'bin/standalone.sh build'");
    }
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("fjordmq.java", System.getProperty("java.home") + "/bin/java"));
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    if (Runtime.version().feature() >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    if (Runtime.version().feature() >= 23) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", jars + "/*", MAIN));
    command.addAll(List.of(arguments));
    return run(command);
  }

  private Result run(List<String> command) {
    // Relative paths in a configuration file are relative to this directory.
    ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile());
    if (dataDirectory != null) {
      builder.environment().put("FJORDMQ_DATADIR", dataDirectory.toString());
      builder.environment().put("FJORDMQ_LOGDIR", dataDirectory.resolveSibling("logs").toString());
    }
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      CompletableFuture<String> err =
          CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
      String out = text(process.getInputStream());
      return new Result(process.waitFor(), out, err.join());
    } catch (IOException e) {
      throw new ApiFailure(Kind.REJECTED, "cannot run " + command.get(0) + ": " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiFailure(Kind.REJECTED, "interrupted while waiting for " + command.get(0));
    }
  }

  private static String text(InputStream stream) {
    try (stream) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
