package io.fjordmq.broker.admin;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The load average of a host: the mean number of processes that run or wait to run. A negative
 * value is unknown.
 *
 * @param oneMinute over the last minute
 * @param fiveMinutes over the last 5 minutes
 * @param fifteenMinutes over the last 15 minutes
 */
public record HostLoad(double oneMinute, double fiveMinutes, double fifteenMinutes) {
  /** The value that stands for an unknown load. */
  public static final double UNKNOWN = -1;

  /** A file without a disk behind it, so reading it does not block. */
  private static final Path LINUX_FILE = Path.of("/proc/loadavg");

  /** Reads the load of this host. */
  public static HostLoad now() {
    try {
      return Files.exists(LINUX_FILE) ? parse(Files.readString(LINUX_FILE)) : ofJvm();
    } catch (IOException e) {
      return ofJvm();
    }
  }

  /** The JVM knows only the load over the last minute. */
  private static HostLoad ofJvm() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return new HostLoad(load < 0 ? UNKNOWN : load, UNKNOWN, UNKNOWN);
  }

  /** Parses a line such as {@code 0.20 0.18 0.12 1/80 11206}. */
  static HostLoad parse(String line) {
    String[] words = line.strip().split(" +", -1);
    return words.length < 3
        ? ofJvm()
        : new HostLoad(number(words[0]), number(words[1]), number(words[2]));
  }

  private static double number(String word) {
    try {
      return Math.max(0, Double.parseDouble(word));
    } catch (NumberFormatException e) {
      return UNKNOWN;
    }
  }

  void write(ByteWriter out) {
    out.writeVarint(hundredths(oneMinute));
    out.writeVarint(hundredths(fiveMinutes));
    out.writeVarint(hundredths(fifteenMinutes));
  }

  static HostLoad read(ByteReader in) {
    return new HostLoad(load(in.readVarint()), load(in.readVarint()), load(in.readVarint()));
  }

  private static long hundredths(double load) {
    return load < 0 ? 0 : Math.round(load * 100) + 1;
  }

  private static double load(long hundredths) {
    return hundredths == 0 ? UNKNOWN : (hundredths - 1) / 100.0;
  }
}
