package io.fjordmq.perf.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Resource usage of a process as reported by Linux.
 *
 * @param cpuMicros user and system time since the start of the process, in microseconds; the kernel
 *     counts in steps of 10 ms
 * @param residentKilobytes current memory ({@code VmRSS})
 * @param writtenBytes bytes written to disk ({@code write_bytes}); empty if only the owner of the
 *     process may read it
 */
public record ProcessUsage(long cpuMicros, long residentKilobytes, OptionalLong writtenBytes) {
  private static final long MICROS_PER_TICK = 10_000;
  private static final int UTIME_AFTER_NAME = 11;

  /**
   * Returns the usage of a process, which may belong to another user.
   *
   * @throws UncheckedIOException if the process does not exist
   */
  public static ProcessUsage of(long pid) {
    return of(Path.of("/proc", Long.toString(pid)));
  }

  /**
   * Like {@link #of(long)}.
   *
   * @param proc directory of the process in {@code /proc}
   */
  static ProcessUsage of(Path proc) {
    try {
      return new ProcessUsage(
          cpuMicros(Files.readString(proc.resolve("stat"))),
          valueOf(Files.readAllLines(proc.resolve("status")), "VmRSS:"),
          writtenBytes(proc.resolve("io")));
    } catch (IOException e) {
      throw new UncheckedIOException("process " + proc.getFileName() + " does not exist", e);
    }
  }

  /**
   * Returns the bytes written to disk; empty if this user may not read the file. Unlike the other
   * files, it can only be read by the owner of the process.
   */
  private static OptionalLong writtenBytes(Path io) throws IOException {
    try {
      return OptionalLong.of(valueOf(Files.readAllLines(io), "write_bytes:"));
    } catch (AccessDeniedException | NoSuchFileException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Returns the sums over several processes. A value that is unknown for one of them is unknown in
   * the result.
   */
  public static ProcessUsage of(List<Long> pids) {
    ProcessUsage sum = new ProcessUsage(0, 0, OptionalLong.of(0));
    for (long pid : pids) {
      ProcessUsage one = of(pid);
      sum =
          new ProcessUsage(
              sum.cpuMicros + one.cpuMicros,
              sum.residentKilobytes + one.residentKilobytes,
              sum(sum.writtenBytes, one.writtenBytes));
    }
    return sum;
  }

  private static OptionalLong sum(OptionalLong one, OptionalLong other) {
    return one.isPresent() && other.isPresent()
        ? OptionalLong.of(one.getAsLong() + other.getAsLong())
        : OptionalLong.empty();
  }

  /** Returns the number of bytes written since an earlier reading; empty if unknown. */
  public OptionalDouble writtenSince(ProcessUsage before) {
    return writtenBytes.isPresent() && before.writtenBytes.isPresent()
        ? OptionalDouble.of(writtenBytes.getAsLong() - before.writtenBytes.getAsLong())
        : OptionalDouble.empty();
  }

  /**
   * Returns the CPU time of the threads with a name prefix, in microseconds since they started; the
   * kernel counts in steps of 10 ms. Threads that exit during the call are skipped.
   */
  public static long threadCpuMicros(long pid, String namePrefix) {
    return threadCpuMicros(Path.of("/proc", Long.toString(pid)), namePrefix);
  }

  /**
   * Like {@link #threadCpuMicros(long, String)}.
   *
   * @param proc directory of the process in {@code /proc}
   */
  static long threadCpuMicros(Path proc, String namePrefix) {
    return threads(proc, namePrefix, "stat").stream().mapToLong(ProcessUsage::cpuMicros).sum();
  }

  private static long cpuMicros(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks =
        Long.parseLong(fields[UTIME_AFTER_NAME]) + Long.parseLong(fields[UTIME_AFTER_NAME + 1]);
    return ticks * MICROS_PER_TICK;
  }

  /**
   * Returns how long the threads with a name prefix were runnable but had no processor, in
   * microseconds since they started.
   */
  public static long threadWaitMicros(long pid, String namePrefix) {
    return threads(Path.of("/proc", Long.toString(pid)), namePrefix, "schedstat").stream()
        .mapToLong(stat -> Long.parseLong(stat.split(" ", -1)[1]))
        .map(TimeUnit.NANOSECONDS::toMicros)
        .sum();
  }

  /** Returns the contents of a {@code /proc} file of each thread with a name prefix. */
  private static List<String> threads(Path proc, String namePrefix, String file) {
    try (Stream<Path> threads = Files.list(proc.resolve("task"))) {
      return threads
          .filter(thread -> read(thread.resolve("comm")).orElse("").startsWith(namePrefix))
          .flatMap(thread -> read(thread.resolve(file)).stream())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("process " + proc.getFileName() + " does not exist", e);
    }
  }

  /**
   * Reads a file of a thread; returns empty if the thread has ended, because its files are then
   * gone or unreadable.
   */
  private static Optional<String> read(Path file) {
    try {
      return Optional.of(Files.readString(file));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static long valueOf(List<String> lines, String key) {
    for (String line : lines) {
      if (line.startsWith(key)) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return 0;
  }
}
