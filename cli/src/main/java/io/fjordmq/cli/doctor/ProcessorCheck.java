package io.fjordmq.cli.doctor;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Processors and their clocks. */
final class ProcessorCheck implements Check {
  /** Reading these takes a microsecond or more, or a system call; a node reads time constantly. */
  private static final Set<String> SLOW_CLOCKS =
      Set.of("hpet", "acpi_pm", "jiffies", "xen", "refined-jiffies");

  private static final String CLOCK_FILE =
      "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  private static final String GOVERNOR_FILE =
      "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";

  private final KernelFiles machine;
  private final int processors;

  ProcessorCheck(KernelFiles machine, int processors) {
    this.machine = machine;
    this.processors = processors;
  }

  @Override
  public Stream<Finding> findings() {
    return Stream.of(count(), governor(), numa(), clockSource()).flatMap(findings -> findings);
  }

  private Stream<Finding> count() {
    return Stream.of(
        processors >= 2
            ? Finding.ok("processors", Integer.toString(processors), "2 or more")
            : Finding.of(
                "processors",
                Status.NOTE,
                Integer.toString(processors),
                "2 or more",
                "garbage collection and compaction interrupt message delivery",
                "add a processor, or raise the CPU limit of the container"));
  }

  private Stream<Finding> governor() {
    return machine.text(GOVERNOR_FILE).stream()
        .map(
            found ->
                found.equals("powersave")
                    ? Finding.of(
                        "frequency governor",
                        Status.NOTE,
                        found,
                        "performance or schedutil",
                        "with some drivers, processors stay slow until they have been busy for a"
                            + " while, which adds latency at low load",
                        "cpupower frequency-set -g performance")
                    : Finding.ok("frequency governor", found, "performance or schedutil"));
  }

  private Stream<Finding> numa() {
    List<String> nodes =
        machine.names("/sys/devices/system/node").stream()
            .filter(name -> name.matches("node[0-9]+"))
            .toList();
    if (nodes.size() < 2) {
      return Stream.empty();
    }
    return Stream.of(
        Finding.of(
            "NUMA",
            Status.NOTE,
            nodes.size() + " nodes",
            "a FjordMQ node on each",
            "access to the memory of another socket is slower",
            "numactl --cpunodebind=N --membind=N for a FjordMQ node that fits into one socket;"
                + " otherwise -XX:+UseNUMA in FJORDMQ_JVM_OPTS"));
  }

  private Stream<Finding> clockSource() {
    return machine.text(CLOCK_FILE).stream()
        .map(
            found ->
                SLOW_CLOCKS.contains(found)
                    ? Finding.of(
                        "clock source",
                        Status.WARNING,
                        found,
                        "tsc, kvm-clock, hyperv_clocksource_tsc_page or arch_sys_counter",
                        "reading the time takes a system call, and a node reads it for every"
                            + " message",
                        "echo tsc >"
                            + CLOCK_FILE
                            + ", if 'available_clocksource' next to it lists tsc")
                    : Finding.ok("clock source", found, ""));
  }
}
