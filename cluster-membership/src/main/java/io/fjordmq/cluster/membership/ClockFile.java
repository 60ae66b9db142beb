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
 * Stores the last known cluster time, so that a node whose wall clock is behind does not set
 * cluster time back. The file can be missing or old, because it is only a lower bound. Thread-safe;
 * does not block.
 *
 * <pre>
 * fjordmq clock, form 1
 * MILLIS                                                since the epoch
 * </pre>
 */
public final class ClockFile {
  private static final Logger LOG = LoggerFactory.getLogger(ClockFile.class);
  private static final String FORMAT = "fjordmq clock, form 1";

  private final long savedMillis;
  private final LongConsumer writer;

  private ClockFile(long savedMillis, LongConsumer writer) {
    this.savedMillis = savedMillis;
    this.writer = writer;
  }

  /**
   * Reads the file. A missing or unreadable file is ignored.
   *
   * @param disk writes the file
   */
  public static ClockFile open(Path file, Executor disk) {
    long saved = 0;
    try {
      if (Files.exists(file)) {
        saved = parse(Files.readAllLines(file));
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn(
          "Ignoring the saved cluster time and starting from the wall clock: {} path={}",
          e.getMessage(),
          file);
    }
    return new ClockFile(saved, millis -> disk.execute(() -> write(file, millis)));
  }

  /** Returns an instance with the given saved time that passes later times to the writer. */
  static ClockFile of(long savedMillis, LongConsumer writer) {
    return new ClockFile(savedMillis, writer);
  }

  private static long parse(List<String> lines) {
    if (lines.size() < 2 || !lines.get(0).equals(FORMAT) || !lines.get(1).matches("[0-9]{1,15}")) {
      throw new IllegalArgumentException("the file is not in the format '" + FORMAT + "'");
    }
    return Long.parseLong(lines.get(1));
  }

  /** Returns the saved cluster time in milliseconds since the epoch; 0 if there is none. */
  long savedMillis() {
    return savedMillis;
  }

  /** Logs a difference between the wall clock and the saved time. */
  void logDifference(Instant wall, long toleranceMillis) {
    long ahead = wall.toEpochMilli() - savedMillis;
    if (savedMillis == 0) {
      return;
    }
    if (ahead < -toleranceMillis) {
      LOG.warn(
          "The wall clock is behind the last saved cluster time; continuing from the "
              + "saved time; correct the clock behindSeconds={} lastKnown={}",
          -ahead / 1_000,
          Instant.ofEpochMilli(savedMillis));
    } else {
      LOG.info(
          "Loaded the last saved cluster time; if this node was not "
              + "stopped for ageSeconds, the wall clock is wrong ageSeconds={} lastKnown={}",
          ahead / 1_000,
          Instant.ofEpochMilli(savedMillis));
    }
  }

  void save(long clusterMillis) {
    writer.accept(clusterMillis);
  }

  private static void write(Path target, long clusterMillis) {
    byte[] content = (FORMAT + "\n" + clusterMillis + "\n").getBytes(StandardCharsets.UTF_8);
    try {
      AtomicFile.replace(target, content);
    } catch (IOException e) {
      LOG.warn("Cannot save cluster time: {} path={}", e.getMessage(), target);
    }
  }
}
