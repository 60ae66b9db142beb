package io.fjordmq.cli.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Runs all checks of a host. Not thread-safe; blocks for up to a few seconds. */
public final class Doctor {
  private static final String NODE_CLASS = "io.fjordmq.broker.Main";

  private final KernelFiles machine;
  private final NodeConfiguration configuration;
  private final Options options;

  /**
   * What to check.
   *
   * @param home the directory of FjordMQ
   * @param dataDirectory the data directory of the node, which may not exist yet
   * @param connections the number of clients to prepare for, at least 1; empty for the maximum that
   *     the configuration allows
   * @param measuresDisk whether to write to the data directory
   */
  public record Options(
      Path home, Path dataDirectory, OptionalLong connections, boolean measuresDisk) {}

  /**
   * @param configuration the effective configuration of the node
   */
  public Doctor(KernelFiles machine, NodeConfiguration configuration, Options options) {
    this.machine = machine;
    this.configuration = configuration;
    this.options = options;
  }

  /** Runs the checks; returns the findings in a fixed order. */
  public List<Finding> runChecks() {
    ExpectedLoad load = ExpectedLoad.of(configuration, options.connections);
    String node = runningNode();
    int processors = Runtime.getRuntime().availableProcessors();
    Stream<Check> checks =
        Stream.of(
            new LimitsCheck(machine, load, node),
            new NetworkCheck(machine, configuration, load, processors),
            new MemoryCheck(machine, load),
            new ProcessorCheck(machine, processors),
            new DiskCheck(machine, configuration, options.dataDirectory, options.measuresDisk),
            new TimeCheck(machine),
            new JavaCheck(Runtime.version().feature(), options.home),
            new PortsCheck(configuration, node),
            new PeersCheck(configuration));
    return checks.flatMap(Check::findings).toList();
  }

  /** Returns the id of the process that holds the data directory; empty if there is none. */
  private String runningNode() {
    Path lock = options.dataDirectory.toAbsolutePath().resolve("lock");
    return new KernelFiles(Path.of("/"))
        .text(lock.toString())
        .flatMap(text -> text.lines().findFirst())
        .filter(pid -> pid.matches("[0-9]{1,10}"))
        .filter(
            pid ->
                machine
                    .text("/proc/" + pid + "/cmdline")
                    .filter(command -> command.contains(NODE_CLASS))
                    .isPresent())
        .orElse("");
  }
}
