package io.fjordmq.cli.doctor;

import java.util.OptionalLong;
import java.util.stream.Stream;

/** File descriptors and threads. */
final class LimitsCheck implements Check {
  private static final long THREADS = 2_048;
  private static final String CLOSED = "the node closes further connections immediately";

  private final KernelFiles machine;
  private final ExpectedLoad load;
  private final String process;
  private final String owner;

  /**
   * @param node the process id of the node; empty if it is not running
   */
  LimitsCheck(KernelFiles machine, ExpectedLoad load, String node) {
    this.machine = machine;
    this.load = load;
    this.process = node.isEmpty() ? "self" : node;
    this.owner = node.isEmpty() ? "this shell" : "the running node";
  }

  @Override
  public Stream<Finding> findings() {
    SysctlCheck sysctl = new SysctlCheck(machine);
    long files = load.descriptors();
    return Stream.of(
            limit(
                "Max open files",
                "file descriptors of " + owner,
                files,
                CLOSED,
                "LimitNOFILE=%1$d in the systemd unit, 'ulimit -n %1$d' in a shell, --ulimit"
                    + " nofile=%1$d for a container"),
            limit(
                "Max processes",
                "processes and threads of " + owner,
                THREADS,
                "the JVM cannot start more threads",
                "LimitNPROC=%1$d in the systemd unit, 'ulimit -u %1$d' in a shell"),
            sysctl.atLeast(
                "fs.nr_open", files, Status.WARNING, "no process can have more file descriptors"),
            sysctl.atLeast(
                "fs.file-max",
                files + files / 10,
                Status.WARNING,
                "all processes together cannot have more file descriptors"),
            sysctl.atLeast(
                "fs.epoll.max_user_watches",
                files,
                Status.WARNING,
                "a user cannot add more connections to epoll; " + CLOSED))
        .flatMap(findings -> findings);
  }

  private Stream<Finding> limit(
      String name, String check, long wanted, String why, String command) {
    OptionalLong found = machine.hardLimit(process, name);
    if (found.isEmpty()) {
      return Stream.of(Finding.unknown(check, "/proc/" + process + "/limits cannot be read"));
    }
    long value = found.getAsLong();
    String text = value == Long.MAX_VALUE ? "unlimited" : Long.toString(value);
    return Stream.of(
        value >= wanted
            ? Finding.ok(check, text, "at least " + wanted)
            : Finding.of(
                check, Status.WARNING, text, "at least " + wanted, why, command.formatted(wanted)));
  }
}
