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
 * A control group of Linux, version 1, for the processes of one node. Any thread.
 *
 * <p>The kernel holds its limits: who has used up its processors' time waits for the next tenth of
 * a second, who wants more memory than there is (file cache goes first, there is no swap) is ended.
 */
public final class NodeGroup implements AutoCloseable {
  private static final int PERIOD_MICROS = 100_000;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final String MEMBERS = "cgroup.procs";

  /** Enters the groups of the files before the "--", then becomes the command behind it. */
  private static final String ENTER =
      "while [ \"$1\" != -- ]; do echo $$ >\"$1\" || exit 125; shift; done; shift; exec \"$@\"";

  private final Path cpu;
  private final Path memory;

  /** Both, or one for both. */
  private final Set<Path> folders;

  private NodeGroup(Path cpu, Path memory) {
    this.cpu = cpu;
    this.memory = memory;
    this.folders = Collections.unmodifiableSet(new LinkedHashSet<>(List.of(cpu, memory)));
  }

  /**
   * Makes it.
   *
   * @throws IOException if it cannot be made; then nothing is left of it
   */
  static NodeGroup make(Path cpu, Path memory, NodeLimits limits) throws IOException {
    NodeGroup group = new NodeGroup(cpu, memory);
    List<Path> made = new ArrayList<>();
    try {
      for (Path folder : group.folders) {
        create(folder);
        made.add(folder);
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
      for (Path folder : made) {
        Files.delete(folder);
      }
      throw e;
    }
  }

  private static void create(Path folder) throws IOException {
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("there is a control group " + folder + " already", e);
    } catch (IOException e) {
      throw new IOException(
          "no control group can be made below " + folder.getParent() + ": " + reason(e), e);
    }
  }

  private static void set(Path file, long value) throws IOException {
    try {
      Files.writeString(file, Long.toString(value), StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException(
          "the kernel does not take " + value + " in " + file + ": " + reason(e), e);
    }
  }

  /** In a few words; messages of file systems are names of files. */
  private static String reason(IOException error) {
    if (error instanceof AccessDeniedException) {
      return "this user may not";
    }
    if (error instanceof NoSuchFileException) {
      return "there is no such file";
    }
    String reason =
        error instanceof FileSystemException inFiles ? inFiles.getReason() : error.getMessage();
    return reason == null ? error.toString() : reason;
  }

  /** The command that does the same in this group, from its first instruction on. */
  public List<String> inside(List<String> command) {
    List<String> words = new ArrayList<>(List.of("sh", "-c", ENTER, "limited"));
    folders.forEach(folder -> words.add(folder.resolve(MEMBERS).toString()));
    words.add("--");
    words.addAll(command);
    return words;
  }

  /** Who is in it now, by process id. */
  public Set<Long> processes() throws IOException {
    Set<Long> all = new TreeSet<>();
    for (Path folder : folders) {
      if (Files.isDirectory(folder)) {
        Files.readAllLines(folder.resolve(MEMBERS)).forEach(line -> all.add(Long.valueOf(line)));
      }
    }
    return all;
  }

  /**
   * What its limits have done so far.
   *
   * @param periods tenths of a second in which somebody wanted a processor
   * @param throttled those of them in which the processors' time was used up
   * @param mostBytes of memory at a time
   * @param ended processes that the kernel ended for want of memory
   */
  public record Reading(long periods, long throttled, long mostBytes, long ended) {}

  /** Looks at it. */
  public Reading reading() throws IOException {
    return new Reading(
        number(cpu.resolve("cpu.stat"), "nr_periods "),
        number(cpu.resolve("cpu.stat"), "nr_throttled "),
        number(memory.resolve("memory.max_usage_in_bytes"), ""),
        number(memory.resolve("memory.oom_control"), "oom_kill "));
  }

  /** 0 if the kernel does not tell. */
  private static long number(Path file, String key) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith(key))
        .mapToLong(line -> Long.parseLong(line.substring(key.length())))
        .findFirst()
        .orElse(0);
  }

  /**
   * Ends whoever is still in it, at once, and removes it.
   *
   * @throws IOException if it cannot be removed; the message names it
   */
  @Override
  public void close() throws IOException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    boolean interrupted = false; // no reason to leave a group behind
    try {
      while (!isGone()) {
        try {
          remove();
        } catch (IOException e) {
          if (System.nanoTime() - deadline > 0) {
            throw new IOException("a control group is left, " + folders + ": " + reason(e), e);
          }
          interrupted |= Thread.interrupted();
          LockSupport.parkNanos(LOOK_NANOS);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean isGone() {
    return folders.stream().noneMatch(Files::isDirectory);
  }

  /** Fails as long as one of its processes has not quite ended. */
  private void remove() throws IOException {
    processes().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    for (Path folder : folders) {
      Files.deleteIfExists(folder);
    }
  }
}
