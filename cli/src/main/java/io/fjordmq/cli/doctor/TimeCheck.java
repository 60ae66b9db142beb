package io.fjordmq.cli.doctor;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Whether a daemon synchronizes the clock of this host. */
final class TimeCheck implements Check {
  private static final String CHECK = "clock synchronization";
  private static final Set<String> DAEMONS =
      Set.of("chronyd", "ntpd", "ntpsec", "openntpd", "ptp4l", "phc2sys", "timemaster");

  private final KernelFiles machine;

  TimeCheck(KernelFiles machine) {
    this.machine = machine;
  }

  @Override
  public Stream<Finding> findings() {
    String wanted = "chrony, ntpd or systemd-timesyncd";
    if (machine.exists("/run/systemd/timesync/synchronized")) {
      return Stream.of(Finding.ok(CHECK, "systemd-timesyncd has synchronized the clock", wanted));
    }
    Optional<String> daemon = daemon();
    if (daemon.isPresent()) {
      return Stream.of(Finding.ok(CHECK, daemon.get() + " is running", wanted));
    }
    if (isContainer()) {
      return Stream.of(
          Finding.unknown(
              CHECK, "the host of this container sets the clock; run this command there"));
    }
    return Stream.of(
        Finding.of(
            CHECK,
            Status.WARNING,
            "no time synchronization daemon is running",
            wanted,
            "nodes whose clocks differ by more than joinConfig.maxClockDifference cannot join, and"
                + " alarms report smaller differences",
            "apt-get install chrony, or: systemctl enable --now systemd-timesyncd"));
  }

  private Optional<String> daemon() {
    return machine.names("/proc").stream()
        .filter(name -> name.matches("[0-9]+"))
        .flatMap(pid -> machine.text("/proc/" + pid + "/comm").stream())
        .filter(DAEMONS::contains)
        .findFirst();
  }

  private boolean isContainer() {
    return machine.exists("/.dockerenv")
        || machine.exists("/run/.containerenv")
        || machine.exists("/run/secrets/kubernetes.io")
        || machine.lines("/proc/1/cgroup").anyMatch(line -> line.contains("kubepods"));
  }
}
