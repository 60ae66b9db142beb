package io.fjordmq.perf.machine;

import io.fjordmq.perf.scenario.NodeLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The Linux cgroups (version 1) of this process. The process creates further groups in them, so
 * limits on the process itself also apply to all of those groups together.
 *
 * @param cpu directory of this process's group in the cpu hierarchy
 * @param memory directory of this process's group in the memory hierarchy
 */
public record ControlGroups(Path cpu, Path memory) {
  private static final Path SELF = Path.of("/proc/self");

  /**
   * Returns the cgroups of this process.
   *
   * @throws IOException if they cannot be used; the message gives the reason
   */
  public static ControlGroups own() throws IOException {
    if (!Files.isReadable(SELF.resolve("mountinfo")) || !Files.isReadable(SELF.resolve("cgroup"))) {
      throw new IOException("this system has no cgroups");
    }
    return of(
        Files.readAllLines(SELF.resolve("mountinfo")), Files.readAllLines(SELF.resolve("cgroup")));
  }

  /**
   * Finds the cgroups in the contents of two files below {@code /proc}.
   *
   * @param mounts lines of {@code mountinfo}
   * @param memberships lines of {@code cgroup}
   */
  static ControlGroups of(List<String> mounts, List<String> memberships) throws IOException {
    List<Mount> all = mounts.stream().map(Mount::parse).toList();
    return new ControlGroups(
        directory("cpu", all, memberships), directory("memory", all, memberships));
  }

  private static Path directory(String controller, List<Mount> mounts, List<String> memberships)
      throws IOException {
    Optional<Mount> mount = mounts.stream().filter(each -> each.has(controller)).findFirst();
    if (mount.isEmpty()) {
      boolean versionTwo = mounts.stream().anyMatch(each -> each.type.equals("cgroup2"));
      throw new IOException(
          versionTwo
              ? "the cgroups for '"
                  + controller
                  + "' are version 2; this tool supports only version 1"
              : "no cgroups for '" + controller + "' are mounted");
    }
    for (String line : memberships) {
      String[] fields = line.split(":", 3); // number, controllers, path
      if (fields.length == 3 && List.of(fields[1].split(",", -1)).contains(controller)) {
        return mount.get().directory(fields[2]);
      }
    }
    throw new IOException(
        "this process does not belong to a cgroup with controller '" + controller + "'");
  }

  /** A mounted file system. If its type is cgroup, it is a cgroup hierarchy. */
  private record Mount(String root, String point, String type, List<String> options) {
    private static final int ROOT = 3;
    private static final int POINT = 4;

    /** Parses a line such as {@code 32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu}. */
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

    /** Returns the directory of a cgroup. In a container, only part of the tree is mounted. */
    Path directory(String path) throws IOException {
      if (root.equals("/")) {
        return Path.of(point, path);
      }
      if (path.equals(root) || path.startsWith(root + "/")) {
        return Path.of(point, path.substring(root.length()));
      }
      throw new IOException("the cgroup of this process, " + path + ", is not mounted");
    }
  }

  /**
   * Checks that groups can be limited, by creating a group with these limits and removing it.
   *
   * @throws IOException if groups cannot be limited; the message gives the reason
   */
  public void probe(NodeLimits limits) throws IOException {
    createGroup("probe", limits).close();
  }

  /**
   * Creates an empty group.
   *
   * @param name unique among the groups of this process
   * @throws IOException if it cannot be created; nothing is left of it in this case
   */
  public NodeGroup createGroup(String name, NodeLimits limits) throws IOException {
    String directory = "fjordmq-perf-" + ProcessHandle.current().pid() + "-" + name;
    return NodeGroup.make(cpu.resolve(directory), memory.resolve(directory), limits);
  }
}
