package io.fjordmq.perf.machine;

import io.fjordmq.perf.scenario.NodeLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where this process is in the control groups of Linux, version 1, and whether it may make groups
 * of its own below that: what limits this process itself goes on to hold for them together.
 *
 * @param cpu folder of this process' group in the hierarchy that limits processors
 * @param memory the same for memory
 */
public record ControlGroups(Path cpu, Path memory) {
  private static final Path SELF = Path.of("/proc/self");

  /**
   * Those of this process.
   *
   * @throws IOException if there are none that can be used; the message says why, in half a
   *     sentence
   */
  public static ControlGroups own() throws IOException {
    if (!Files.isReadable(SELF.resolve("mountinfo")) || !Files.isReadable(SELF.resolve("cgroup"))) {
      throw new IOException("this system has no control groups");
    }
    return of(
        Files.readAllLines(SELF.resolve("mountinfo")), Files.readAllLines(SELF.resolve("cgroup")));
  }

  /**
   * Those that the two files below {@code /proc} tell of.
   *
   * @param mounts lines of {@code mountinfo}
   * @param memberships lines of {@code cgroup}
   */
  static ControlGroups of(List<String> mounts, List<String> memberships) throws IOException {
    List<Mount> all = mounts.stream().map(Mount::parse).toList();
    return new ControlGroups(folder("cpu", all, memberships), folder("memory", all, memberships));
  }

  private static Path folder(String controller, List<Mount> mounts, List<String> memberships)
      throws IOException {
    Optional<Mount> mount = mounts.stream().filter(one -> one.has(controller)).findFirst();
    if (mount.isEmpty()) {
      boolean second = mounts.stream().anyMatch(one -> one.type.equals("cgroup2"));
      throw new IOException(
          second
              ? "its control groups for '"
                  + controller
                  + "' are of version 2, and the tool knows those of version 1 only"
              : "no control groups for '" + controller + "' are mounted");
    }
    for (String line : memberships) {
      String[] fields = line.split(":", 3); // number, controllers, path
      if (fields.length == 3 && List.of(fields[1].split(",", -1)).contains(controller)) {
        return mount.get().folder(fields[2]);
      }
    }
    throw new IOException("this process is in no control group for '" + controller + "'");
  }

  /** A file system that is mounted: of control groups, if its type says so. */
  private record Mount(String root, String point, String type, List<String> options) {
    private static final int ROOT = 3;
    private static final int POINT = 4;

    /** {@code 32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu}. */
    static Mount parse(String line) {
      String[] halves = line.split(" - ", 2);
      String[] left = halves[0].split(" ", -1);
      String[] right = halves.length < 2 ? new String[0] : halves[1].split(" ", -1);
      if (left.length <= POINT || right.length < 3) {
        return new Mount("", "", "", List.of());
      }
      return new Mount(left[ROOT], left[POINT], right[0], List.of(right[2].split(",", -1)));
    }

    boolean has(String controller) {
      return type.equals("cgroup") && options.contains(controller);
    }

    /** In a container only a part of the tree is mounted. */
    Path folder(String path) throws IOException {
      if (root.equals("/")) {
        return Path.of(point, path);
      }
      if (path.equals(root) || path.startsWith(root + "/")) {
        return Path.of(point, path.substring(root.length()));
      }
      throw new IOException("the control group of this process, " + path + ", is not mounted");
    }
  }

  /**
   * Tries it: makes a group with these limits and removes it.
   *
   * @throws IOException if that cannot be done; the message says why, in half a sentence
   */
  public void probe(NodeLimits limits) throws IOException {
    make("probe", limits).close();
  }

  /**
   * A group without processes.
   *
   * @param name of those that this process makes at a time no other has it
   * @throws IOException if it cannot be made; then nothing is left of it
   */
  public NodeGroup make(String name, NodeLimits limits) throws IOException {
    String folder = "fjordmq-perf-" + ProcessHandle.current().pid() + "-" + name;
    return NodeGroup.make(cpu.resolve(folder), memory.resolve(folder), limits);
  }
}
