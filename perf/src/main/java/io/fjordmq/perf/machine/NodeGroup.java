package io.fjordmq.perf.machine;

import io.fjordmq.perf.scenario.NodeLimits;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A Linux cgroup (version 1) for the processes of one node. Thread-safe.
 *
 * <p>The kernel enforces its limits. A group that has used its CPU quota waits for the next period
 * of 100 ms. If a process needs more memory than the limit allows even after the kernel has dropped
 * the file cache, the kernel kills it. The group cannot use swap.
 */
public final class NodeGroup implements AutoCloseable {
  private static final int PERIOD_MICROS = 100_000;
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final String MEMBERS = "cgroup.procs";

  /**
   * A shell script that joins the groups whose files precede "--", then replaces itself with the
   * command that follows.
   */
  private static final String ENTER =
      "while [ \"$1\" != -- ]; do echo $$ >\"$1\" || exit 125; shift; done; shift; exec \"$@\"";

  private final Path cpu;
  private final Path memory;

  /** The group's two directories, or one directory if both hierarchies share it. */
  private final Set<Path> directories;

  private NodeGroup(Path cpu, Path memory) {
    this.cpu = cpu;
    this.memory = memory;
    this.directories = Collections.unmodifiableSet(new LinkedHashSet<>(List.of(cpu, memory)));
  }

  /**
   * Creates the group.
   *
   * @throws IOException if the group cannot be created; directories that were already created are
   *     removed
   */
  static NodeGroup make(Path cpu, Path memory, NodeLimits limits) throws IOException {
    NodeGroup group = new NodeGroup(cpu, memory);
    List<Path> created = new ArrayList<>();
    try {
      for (Path directory : group.directories) {
        create(directory);
        created.add(directory);
      }
      set(cpu.resolve("cpu.cfs_period_us"), PERIOD_MICROS);
      set(cpu.resolve("cpu.cfs_quota_us"), Math.round(limits.processors() * PERIOD_MICROS));
      set(memory.resolve("memory.limit_in_bytes"), limits.bytes());
      Path withSwap = memory.resolve("memory.memsw.limit_in_bytes");
      if (Files.exists(withSwap)) {
        set(withSwap, limits.bytes());
      }
      return group;
    } catch (IOException e) {
      for (Path directory : created) {
        Files.delete(directory);
      }
      throw e;
    }
  }

  private static void create(Path directory) throws IOException {
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("cgroup " + directory + " already exists", e);
    } catch (IOException e) {
      throw new IOException(
          "cannot create a cgroup below " + directory.getParent() + ": " + reason(e), e);
    }
  }

  private static void set(Path file, long value) throws IOException {
    try {
      Files.writeString(file, Long.toString(value), StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException("the kernel rejected " + value + " in " + file + ": " + reason(e), e);
    }
  }

  /**
   * Returns a short reason, because the messages of file system exceptions often contain only the
   * file name.
   */
  private static String reason(IOException error) {
    if (error instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (error instanceof NoSuchFileException) {
      return "no such file";
    }
    String reason =
        error instanceof FileSystemException inFiles ? inFiles.getReason() : error.getMessage();
    return reason == null ? error.toString() : reason;
  }

  /** Wraps a command so that it runs in this group from its first instruction. */
  public List<String> wrap(List<String> command) {
    List<String> words = new ArrayList<>(List.of("sh", "-c", ENTER, "limited"));
    directories.forEach(directory -> words.add(directory.resolve(MEMBERS).toString()));
    words.add("--");
    words.addAll(command);
    return words;
  }

  /** Returns the process ids in the group. */
  public Set<Long> processes() throws IOException {
    Set<Long> all = new TreeSet<>();
    for (Path directory : directories) {
      if (Files.isDirectory(directory)) {
        Files.readAllLines(directory.resolve(MEMBERS)).forEach(line -> all.add(Long.valueOf(line)));
      }
    }
    return all;
  }

  /**
   * Effects of the limits so far.
   *
   * @param periods CFS periods (100 ms) with runnable tasks
   * @param throttled periods in which the cgroup was throttled
   * @param peakBytes peak memory usage
   * @param oomKills processes killed by the OOM killer
   */
  public record Reading(long periods, long throttled, long peakBytes, long oomKills) {}

  /** Reads the counters of the group. */
  public Reading reading() throws IOException {
    return new Reading(
        number(cpu.resolve("cpu.stat"), "nr_periods "),
        number(cpu.resolve("cpu.stat"), "nr_throttled "),
        number(memory.resolve("memory.max_usage_in_bytes"), ""),
        number(memory.resolve("memory.oom_control"), "oom_kill "));
  }

  /** Returns the number after the key; 0 if the kernel does not report it. */
  private static long number(Path file, String key) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith(key))
        .mapToLong(line -> Long.parseLong(line.substring(key.length())))
        .findFirst()
        .orElse(0);
  }

  /**
   * Kills the remaining processes and removes the group.
   *
   * @throws IOException if it cannot be removed; the message names it
   */
  @Override
  public void close() throws IOException {
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    boolean interrupted = false; // an interrupt must not leave the group behind
    try {
      while (!isGone()) {
        try {
          remove();
        } catch (IOException e) {
          if (System.nanoTime() - deadline > 0) {
            throw new IOException("cannot remove cgroup " + directories + ": " + reason(e), e);
          }
          interrupted |= Thread.interrupted();
          LockSupport.parkNanos(POLL_NANOS);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean isGone() {
    return directories.stream().noneMatch(Files::isDirectory);
  }

  /** Kills the processes and removes the directories; fails until all processes have exited. */
  private void remove() throws IOException {
    processes().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    for (Path directory : directories) {
      Files.deleteIfExists(directory);
    }
  }
}
