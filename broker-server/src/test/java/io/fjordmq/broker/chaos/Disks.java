package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * The nodes' disks: a file system for the data of each, made by {@code bin/chaos.sh} where the
 * machine allows it. Thread-safe; no disk may stall while its power is cut.
 */
final class Disks {
  private static final int CHUNK = 1 << 20;
  private static final int MAX_STALL_MILLIS = 3_000;
  private static final int PAUSE_MILLIS = 150;

  private final Path folder;

  /** The nodes whose disk has to be full. Guarded by this. */
  private final Set<Integer> full = new HashSet<>();

  /**
   * The disks of a run.
   *
   * @param folder the node's data are in {@code node<n>/data}; what is to be stalled, and for how
   *     many seconds, is written to {@code stalls}; {@code power-cut.py} shuts a file system down
   *     if the machine allows it
   */
  Disks(Path folder) {
    this.folder = folder;
  }

  /** Whether the nodes have disks of their own. */
  boolean areAvailable() {
    return Files.exists(stalls());
  }

  private Path stalls() {
    return folder.resolve("stalls");
  }

  /** Whether {@link #cutPower} works here. */
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

  /** Fills the disk to the last byte until {@link #free}, also after a power cut. */
  synchronized void fill(int node) {
    full.add(node);
    try {
      long free = Files.getFileStore(disk(node)).getUsableSpace();
      // Allocates without writing, except for the last bytes, for which the node may compete.
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
      // No space left for this chunk: continue with a smaller one.
    }
  }

  /** Frees what {@link #fill} took. */
  synchronized void free(int node) {
    full.remove(node);
    try {
      Files.deleteIfExists(filler(node));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stalls for as long as given: writes block for seconds, complete, and block again. */
  void stall(int node, int millis) {
    long end = System.nanoTime() + millis * 1_000_000L;
    for (long left = millis; left > 0; left = (end - System.nanoTime()) / 1_000_000) {
      long stall = Math.min(left, MAX_STALL_MILLIS);
      try {
        Files.writeString(
            stalls(),
            "%s %d.%03d%n".formatted(disk(node), stall / 1_000, stall % 1_000),
            StandardOpenOption.WRITE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      ChaosCluster.pause(stall + PAUSE_MILLIS);
    }
  }

  /**
   * Drops everything that was written and not synced, which may be what {@link #fill} or {@link
   * #free} did: a full disk is full again afterwards, any other is not.
   *
   * @param kill kills all processes of the node that use its disk; nothing can be written any more
   */
  synchronized void cutPower(Set<Integer> nodes, IntConsumer kill) {
    nodes.forEach(node -> Command.run("python3", powerCut().toString(), disk(node).toString()));
    nodes.forEach(kill::accept);
    nodes.forEach(this::restorePower);
  }

  /** Replays its journal. */
  private void restorePower(int node) {
    Command.run("umount", disk(node).toString());
    String image = folder.resolve("disk" + node).toString();
    Command.run("mount", "-o", "loop", image, disk(node).toString());
    if (full.contains(node)) {
      fill(node);
    } else {
      free(node);
    }
  }
}
