package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster time that this node knew last, so that a start with a clock that is behind does not
 * take the cluster back. It may be lost or old: it is a lower bound, no more. Thread-safe; does not
 * block.
 *
 * <pre>
 * fjordmq clock, form 1
 * MILLIS                                                since the epoch
 * </pre>
 */
public final class ClockFile {
  private static final Logger LOG = LoggerFactory.getLogger(ClockFile.class);
  private static final String FORM = "fjordmq clock, form 1";

  private final long keptMillis;
  private final LongConsumer writer;

  private ClockFile(long keptMillis, LongConsumer writer) {
    this.keptMillis = keptMillis;
    this.writer = writer;
  }

  /**
   * Reads the file, if there is one that can be read.
   *
   * @param disk writes it
   */
  public static ClockFile open(Path file, Executor disk) {
    long kept = 0;
    try {
      if (Files.exists(file)) {
        kept = parse(Files.readAllLines(file));
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn(
          "Ignoring the saved cluster time and starting from the wall clock: {} file={}",
          e.getMessage(),
          file);
    }
    return new ClockFile(kept, millis -> disk.execute(() -> write(file, millis)));
  }

  /** Kept elsewhere. */
  static ClockFile of(long keptMillis, LongConsumer writer) {
    return new ClockFile(keptMillis, writer);
  }

  private static long parse(List<String> lines) {
    if (lines.size() < 2 || !lines.get(0).equals(FORM) || !lines.get(1).matches("[0-9]{1,15}")) {
      throw new IllegalArgumentException("the file is not in the format '" + FORM + "'");
    }
    return Long.parseLong(lines.get(1));
  }

  /** 0 if nothing was kept. */
  long keptMillis() {
    return keptMillis;
  }

  /** Warns if the wall clock contradicts what was kept. */
  void compare(Instant wall, long toleranceMillis) {
    long ahead = wall.toEpochMilli() - keptMillis;
    if (keptMillis == 0) {
      return;
    }
    if (ahead < -toleranceMillis) {
      LOG.warn(
          "The wall clock is behind the last saved cluster time; continuing from the "
              + "later one; set the clock behindSeconds={} lastKnown={}",
          -ahead / 1_000,
          Instant.ofEpochMilli(keptMillis));
    } else {
      LOG.info(
          "Cluster time was saved long ago by the wall clock; if this node was not "
              + "stopped for that long, the clock is wrong and sessions may expire early "
              + "ageSeconds={} lastKnown={}",
          ahead / 1_000,
          Instant.ofEpochMilli(keptMillis));
    }
  }

  void save(long clusterMillis) {
    writer.accept(clusterMillis);
  }

  private static void write(Path target, long clusterMillis) {
    byte[] content = (FORM + "\n" + clusterMillis + "\n").getBytes(StandardCharsets.UTF_8);
    try {
      AtomicFile.replace(target, content);
    } catch (IOException e) {
      LOG.warn("Cannot save cluster time: {} file={}", e.getMessage(), target);
    }
  }
}
