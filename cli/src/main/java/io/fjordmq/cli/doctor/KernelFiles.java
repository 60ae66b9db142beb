package io.fjordmq.cli.doctor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads the files in which the kernel describes the host.
 *
 * @param root the directory that contains {@code proc} and {@code sys}; only tests use another one
 *     than the root directory
 */
public record KernelFiles(Path root) {
  private static final long KIB = 1024;
  private static final int MAX_DIGITS = 18;
  private static final int BUFFER_BYTES = 1 << 16;

  /** A path without its leading slash, below the root. */
  private Path at(String path) {
    return root.resolve(path.substring(1));
  }

  boolean exists(String path) {
    return Files.exists(at(path));
  }

  /** Returns the text of a file without surrounding blanks; empty if it cannot be read. */
  Optional<String> text(String path) {
    try (InputStream file = Files.newInputStream(at(path))) {
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      // Files below /proc/sys must be read at once: they end after the first read, however short.
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int count = file.read(buffer); count > 0; count = file.read(buffer)) {
        content.write(buffer, 0, count);
      }
      return Optional.of(content.toString(StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns the lines of a file; none if it cannot be read. */
  Stream<String> lines(String path) {
    return text(path).stream().flatMap(String::lines);
  }

  /** Returns the number in a file; empty if it cannot be read or contains none. */
  OptionalLong number(String path) {
    long[] numbers = numbers(path);
    return numbers.length == 0 ? OptionalLong.empty() : OptionalLong.of(numbers[0]);
  }

  /** Returns the numbers in a file that are separated by blanks; none if it cannot be read. */
  long[] numbers(String path) {
    return text(path).stream()
        .flatMap(text -> Arrays.stream(text.split("\\s+")))
        .filter(word -> word.matches("-?[0-9]+"))
        // Larger than any limit that matters: fs.file-max may be 2^63 - 1.
        .mapToLong(word -> word.length() > MAX_DIGITS ? Long.MAX_VALUE : Long.parseLong(word))
        .toArray();
  }

  /** Returns the value of a sysctl; empty if it does not exist here. */
  OptionalLong sysctl(String key) {
    return number("/proc/sys/" + key.replace('.', '/'));
  }

  /** Returns the sorted names of the files in a directory; none if it cannot be read. */
  List<String> names(String directory) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(at(directory))) {
      files.forEach(file -> names.add(String.valueOf(file.getFileName())));
    } catch (IOException e) {
      return List.of();
    }
    names.sort(null);
    return names;
  }

  /** Returns a value of /proc/meminfo in bytes. */
  OptionalLong memory(String name) {
    return lines("/proc/meminfo")
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> KIB * Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst();
  }

  /** Returns the hard limit of a process, such as that of "Max open files". */
  OptionalLong hardLimit(String process, String name) {
    return lines("/proc/" + process + "/limits")
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length()).strip().split("\\s+"))
        .filter(words -> words.length > 1)
        .mapToLong(
            words -> words[1].equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(words[1]))
        .findFirst();
  }

  /** Returns the smallest memory limit of the cgroups of this process in bytes; empty if none. */
  OptionalLong cgroupMemory() {
    return lines("/proc/self/cgroup")
        .map(line -> line.split(":", 3))
        .filter(parts -> parts.length == 3)
        .flatMap(
            parts ->
                parts[1].isEmpty()
                    ? limits("/sys/fs/cgroup", parts[2], "memory.max")
                    : List.of(parts[1].split(",")).contains("memory")
                        ? limits("/sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")
                        : Stream.empty())
        .filter(limit -> limit < Long.MAX_VALUE / 2) // what cgroup v1 reports without a limit
        .mapToLong(Long::longValue)
        .min();
  }

  /** The limits of a group and all its parents. In a container, only some may be visible. */
  private Stream<Long> limits(String folder, String group, String file) {
    List<Long> limits = new ArrayList<>();
    String path = group.equals("/") ? "" : group;
    while (true) {
      number(folder + path + "/" + file).ifPresent(limits::add);
      if (path.isEmpty()) {
        return limits.stream();
      }
      path = path.substring(0, path.lastIndexOf('/'));
    }
  }
}
