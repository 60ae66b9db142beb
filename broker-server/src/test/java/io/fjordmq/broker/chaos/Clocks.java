package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The nodes' wall clocks, which libfaketime takes from a file for each node. It rereads the file
 * every second; monotonic clocks are left alone. Used by one thread for each node.
 *
 * @param folder of the run: the node's file is {@code node<n>/clock}
 * @param library libfaketime, null if there is none: then clocks cannot be changed
 */
record Clocks(Path folder, @Nullable String library) {

  /** Whether they can be changed. */
  boolean canJump() {
    return library != null;
  }

  private Path file(int node) {
    return folder.resolve("node" + node).resolve("clock");
  }

  /**
   * What a node needs in its environment; LD_PRELOAD is among it. The "monotonic fix" must be off:
   * with it, a JVM's timed waits return at once.
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

  /** Lets the node's clock differ by so many seconds from the machine's. */
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
