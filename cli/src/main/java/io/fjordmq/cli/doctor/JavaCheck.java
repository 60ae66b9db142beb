package io.fjordmq.cli.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The Java runtime, and the files that make it start faster. */
final class JavaCheck implements Check {
  private static final int RECOMMENDED = 25;

  private final int version;
  private final Path home;

  /**
   * @param version the feature version of Java
   * @param home the directory of FjordMQ
   */
  JavaCheck(int version, Path home) {
    this.version = version;
    this.home = home;
  }

  @Override
  public Stream<Finding> findings() {
    if (version < RECOMMENDED) {
      return Stream.of(
          Finding.of(
              "Java",
              Status.NOTE,
              Integer.toString(version),
              RECOMMENDED + " or newer",
              "nodes need less memory for each session, and start faster with an AOT cache",
              "install JDK " + RECOMMENDED + " and set FJORDMQ_JAVA"));
    }
    Finding java = Finding.ok("Java", Integer.toString(version), RECOMMENDED + " or newer");
    String name = "classes-" + version + ".aot";
    boolean hasCache =
        Stream.of("broker-server/target/fjordmq", "cache")
            .anyMatch(folder -> Files.exists(home.resolve(folder).resolve(name)));
    return Stream.of(
        java,
        hasCache
            ? Finding.ok("AOT cache", name, "one for this version of Java")
            : Finding.of(
                "AOT cache",
                Status.NOTE,
                "none for Java " + version,
                "one for this version of Java",
                "after each start, the node is slow until its code is compiled",
                "bin/standalone.sh build"));
  }
}
