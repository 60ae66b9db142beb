package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The nodes' disks: a file system for the data of each, made by {@code bin/chaos.sh} where the
 * machine allows it. Used by one thread.
 *
 * @param folder of the run: the node's data are in {@code node<n>/data}; what is to be stalled, and
 *     for how many seconds, is written to {@code stalls}; {@code power-cut.py} shuts a file system
 *     down if the machine allows it
 */
record Disks(Path folder) {
  private static final int CHUNK = 1 << 20;
  private static final int LONGEST_STALL_MILLIS = 3_000;
  private static final int BREATH_MILLIS = 150;

  /** Whether there are any. */
  boolean exist() {
    return Files.exists(stalls());
  }

  private Path stalls() {
    return folder.resolve("stalls");
  }

  /** Whether {@link #losePower} works here. */
  boolean canLosePower() {
    return Files.exists(powerCut());
  }

  private Path powerCut() {
    return folder.resolve("power-cut.py");
  }

  private Path disk(int node) {
    return folder.resolve("node" + node).resolve("data");
  }

  private Path filler(int node) {
    return disk(node).resolve("filler");
  }

  /** Leaves no byte. */
  void fill(int node) {
    try {
      long free = Files.getFileStore(disk(node)).getUsableSpace();
      // Taken without being written, but for the last bytes, which the node may be quicker to take.
      if (free > 4 * CHUNK) {
        String most = Long.toString(free - 4 * CHUNK);
        Command.run("fallocate", "-l", most, filler(node).toString());
      }
      try (OutputStream file =
          Files.newOutputStream(
              filler(node), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
        for (int size = CHUNK; size > 0; size /= 2) {
          fillBy(file, new byte[size]);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void fillBy(OutputStream file, byte[] chunk) {
    try {
      while (true) {
        file.write(chunk);
      }
    } catch (IOException e) {
      // No space left for so much: go on with less.
    }
  }

  /** Frees what {@link #fill} took. */
  void free(int node) {
    try {
      Files.deleteIfExists(filler(node));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes as long as told: writes wait for seconds, are done, wait again. */
  void stall(int node, int millis) {
    long end = System.nanoTime() + millis * 1_000_000L;
    for (long left = millis; left > 0; left = (end - System.nanoTime()) / 1_000_000) {
      long stall = Math.min(left, LONGEST_STALL_MILLIS);
      try {
        Files.writeString(
            stalls(),
            "%s %d.%03d%n".formatted(disk(node), stall / 1_000, stall % 1_000),
            StandardOpenOption.WRITE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      ChaosCluster.pause(stall + BREATH_MILLIS);
    }
  }

  /** Drops everything that was written and not synced; nothing can be written any more. */
  void losePower(int node) {
    Command.run("python3", powerCut().toString(), disk(node).toString());
  }

  /**
   * After {@link #losePower}, when no process uses the disk: replays its journal, and frees what
   * {@link #fill} took, as the power cut may have undone {@link #free}.
   */
  void restorePower(int node) {
    Command.run("umount", disk(node).toString());
    String image = folder.resolve("disk" + node).toString();
    Command.run("mount", "-o", "loop", image, disk(node).toString());
    free(node);
  }
}
