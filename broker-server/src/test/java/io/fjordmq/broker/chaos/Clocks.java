package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The nodes' wall clocks, which libfaketime reads from a file for each node. It rereads the file
 * every second; monotonic clocks are not changed. One thread per node uses it.
 *
 * @param folder of the run: the node's file is {@code node<n>/clock}
 * @param library libfaketime; null if it is missing, then clocks cannot be changed
 */
record Clocks(Path folder, @Nullable String library) {

  /** Whether clocks can be changed. */
  boolean canChange() {
    return library != null;
  }

  private Path file(int node) {
    return folder.resolve("node" + node).resolve("clock");
  }

  /**
   * The environment of a node, including LD_PRELOAD. The "monotonic fix" must be off: with it, a
   * JVM's timed waits return at once.
   */
  Map<String, String> environment(int node) {
    return library == null
        ? Map.of()
        : Map.of(
            "LD_PRELOAD", library,
            "FAKETIME_TIMESTAMP_FILE", file(node).toString(),
            "FAKETIME_CACHE_DURATION", "1",
            "FAKETIME_DONT_FAKE_MONOTONIC", "1",
            "FAKETIME_FORCE_MONOTONIC_FIX", "0",
            "NO_FAKE_STAT", "1");
  }

  /** Sets the offset of the node's clock from the machine's, in seconds. */
  void set(int node, long seconds) {
    Path next = file(node).resolveSibling("clock.next");
    try {
      Files.writeString(next, "%+d%n".formatted(seconds));
      Files.move(next, file(node), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
