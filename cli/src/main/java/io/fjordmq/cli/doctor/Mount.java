package io.fjordmq.cli.doctor;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A mounted file system.
 *
 * @param point where it is mounted
 * @param type such as {@code ext4}
 * @param options options of the mount and of the file system
 */
record Mount(Path point, String type, List<String> options) {
  private static final String SEPARATOR = " - ";
  private static final int POINT = 4;
  private static final int OPTIONS = 5;
  private static final int SUPER_OPTIONS = 2;

  /** Returns the file system that contains a path; empty if it cannot be found. */
  static Optional<Mount> of(KernelFiles machine, Path path) {
    return machine
        .lines("/proc/self/mountinfo")
        .flatMap(line -> parse(line).stream())
        .filter(mount -> path.startsWith(mount.point))
        // Of several mounts at the same place, the last one is visible.
        .reduce(
            (one, other) ->
                Comparator.<Mount>comparingInt(mount -> mount.point.getNameCount())
                            .compare(one, other)
                        > 0
                    ? one
                    : other);
  }

  /** Parses a line: {@code 36 35 98:0 /root /point options [tags] - type device options}. */
  private static Optional<Mount> parse(String line) {
    int separator = line.indexOf(SEPARATOR);
    String[] first = line.split(" ");
    if (separator < 0 || first.length <= OPTIONS) {
      return Optional.empty();
    }
    String[] second = line.substring(separator + SEPARATOR.length()).split(" ");
    String options =
        first[OPTIONS] + (second.length > SUPER_OPTIONS ? "," + second[SUPER_OPTIONS] : "");
    Path point = Path.of(first[POINT].replace("\\040", " "));
    return Optional.of(new Mount(point, second[0], List.of(options.split(","))));
  }
}
