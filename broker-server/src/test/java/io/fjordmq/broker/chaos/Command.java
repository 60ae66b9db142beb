package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs short system commands. */
final class Command {
  private Command() {}

  /**
   * Runs the command and waits for it to exit.
   *
   * @throws IllegalStateException with the output, if the command fails
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
