package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs short programs of the system. */
final class Command {
  private Command() {}

  /**
   * Runs it to its end.
   *
   * @throws IllegalStateException with what it printed, if it fails
   */
  static void run(String... line) {
    try {
      Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.waitFor() != 0) {
        throw new IllegalStateException(String.join(" ", List.of(line)) + " failed: " + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
