package io.fjordmq.perf.machine;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Identifies the program of a process, and runs programs for their output. Blocks. */
public final class Program {
  private static final int TIMEOUT_SECONDS = 10;
  private static final String MOSQUITTO = "mosquitto";

  private Program() {}

  /**
   * Returns the program of a process, with its version if known: a JVM, mosquitto, or a file name.
   */
  public static String of(long pid) throws InterruptedException {
    Path file;
    try {
      file = Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "exe"));
    } catch (IOException e) {
      return "unknown"; // the process belongs to another user, or has exited
    }
    String name = String.valueOf(file.getFileName());
    if (name.equals("java")) {
      return java(file);
    }
    if (name.equals(MOSQUITTO)) {
      // Mosquitto has no version option, but the first line of its help contains the version.
      String version = output(file.toString(), "-h").lines().findFirst().orElse("");
      return version.isEmpty() ? file.toString() : version;
    }
    return file.toString();
  }

  /**
   * Returns the version and vendor of a JDK.
   *
   * @param file {@code bin/java} of the JDK
   */
  static String java(Path file) {
    Path release = file.resolveSibling("../release").normalize();
    List<String> lines;
    try {
      lines = Files.readAllLines(release);
    } catch (IOException e) {
      return file.toString();
    }
    String version = value(lines, "JAVA_RUNTIME_VERSION", value(lines, "JAVA_VERSION", "?"));
    return "Java " + version + ", " + value(lines, "IMPLEMENTOR", "of unknown version");
  }

  private static String value(List<String> lines, String key, String defaultValue) {
    return lines.stream()
        .filter(line -> line.startsWith(key + "="))
        .map(line -> line.substring(key.length() + 1).replace("\"", ""))
        .findFirst()
        .orElse(defaultValue);
  }

  /**
   * Returns whether a program is installed in a directory of PATH.
   *
   * @param path value of PATH
   */
  public static boolean isInPath(String name, String path) {
    return Stream.of(path.split(File.pathSeparator, -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
  }

  /**
   * Returns the output of a command, regardless of its exit code; empty if the program does not
   * exist.
   */
  static String output(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return output;
    } catch (IOException e) {
      return "";
    }
  }
}
