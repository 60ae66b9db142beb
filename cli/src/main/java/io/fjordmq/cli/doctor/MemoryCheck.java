package io.fjordmq.cli.doctor;

import java.util.OptionalLong;
import java.util.stream.Stream;

/** Memory, and how the kernel manages it. */
final class MemoryCheck implements Check {
  private static final long MIB = 1L << 20;
  private static final long MAX_DIRTY_BYTES = 256 * MIB;
  private static final long MAX_SWAPPINESS = 10;
  private static final int PERCENT = 100;
  private static final String HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/";
  private static final String DIRTY = "vm.dirty_background_bytes";

  private final KernelFiles machine;
  private final ExpectedLoad load;

  MemoryCheck(KernelFiles machine, ExpectedLoad load) {
    this.machine = machine;
    this.load = load;
  }

  @Override
  public Stream<Finding> findings() {
    return Stream.of(
            size(), swap(), hugePages("enabled"), hugePages("defrag"), dirtyPages(), overcommit())
        .flatMap(findings -> findings);
  }

  private Stream<Finding> size() {
    OptionalLong total = machine.memory("MemTotal");
    OptionalLong limit = machine.cgroupMemory();
    if (total.isEmpty()) {
      return Stream.of(Finding.unknown("memory", "/proc/meminfo cannot be read"));
    }
    boolean isLimited = limit.isPresent() && limit.getAsLong() < total.getAsLong();
    long available = isLimited ? limit.getAsLong() : total.getAsLong();
    String found = Sizes.text(available) + (isLimited ? " (limit of the cgroup)" : "");
    long needed = load.memoryBytes();
    String wanted = "%s for %d connections".formatted(Sizes.text(needed), load.connections());
    return Stream.of(
        available >= needed
            ? Finding.ok("memory", found, wanted)
            : Finding.of(
                "memory",
                Status.WARNING,
                found,
                wanted,
                "the node refuses new clients when its memory runs low",
                isLimited
                    ? "raise the limit, or lower maxConnections of the listeners"
                    : "add memory, or lower maxConnections of the listeners"));
  }

  private Stream<Finding> swap() {
    long devices = machine.lines("/proc/swaps").skip(1).filter(line -> !line.isBlank()).count();
    OptionalLong swappiness = machine.sysctl("vm.swappiness");
    if (devices == 0) {
      return Stream.of(Finding.ok("swap", "off", "off"));
    }
    String found = "on, vm.swappiness " + (swappiness.isPresent() ? swappiness.getAsLong() : "?");
    return Stream.of(
        swappiness.isPresent() && swappiness.getAsLong() <= MAX_SWAPPINESS
            ? Finding.ok("swap", found, "off, or vm.swappiness 1")
            : Finding.of(
                "swap",
                Status.WARNING,
                found,
                "off, or vm.swappiness 1",
                "garbage collection of swapped memory takes seconds, so the node loses its lease"
                    + " and its clients",
                "swapoff -a, or: " + SysctlCheck.command("vm.swappiness", 1)));
  }

  /** The file contains all choices; brackets mark the current one. */
  private Stream<Finding> hugePages(String file) {
    String check = "transparent huge pages, " + file;
    return machine.text(HUGE_PAGES + file).stream()
        .map(text -> text.replaceAll(".*\\[(.*)].*", "$1"))
        .map(
            found ->
                found.equals("always")
                    ? Finding.of(
                        check,
                        Status.WARNING,
                        found,
                        "madvise",
                        "the kernel allocates huge pages that are only partly used, and stalls the"
                            + " node while it compacts memory",
                        "echo madvise >" + HUGE_PAGES + file)
                    : Finding.ok(check, found, "madvise or never"));
  }

  /** How much unwritten data an fsync may have to wait for. */
  private Stream<Finding> dirtyPages() {
    OptionalLong bytes = machine.sysctl(DIRTY);
    OptionalLong percent = machine.sysctl("vm.dirty_background_ratio");
    OptionalLong total = machine.memory("MemTotal");
    if (bytes.isEmpty() || percent.isEmpty() || total.isEmpty()) {
      return Stream.empty();
    }
    boolean isRatio = bytes.getAsLong() == 0;
    long limit = isRatio ? total.getAsLong() / PERCENT * percent.getAsLong() : bytes.getAsLong();
    String found =
        Sizes.text(limit)
            + (isRatio ? " (vm.dirty_background_ratio %d)".formatted(percent.getAsLong()) : "");
    String wanted = "at most " + Sizes.text(MAX_DIRTY_BYTES);
    return Stream.of(
        limit <= MAX_DIRTY_BYTES
            ? Finding.ok(DIRTY, found, wanted)
            : Finding.of(
                DIRTY,
                Status.NOTE,
                found,
                wanted,
                "the kernel buffers this much data before it starts to write; an fsync of the log"
                    + " may wait for all of it",
                SysctlCheck.command(DIRTY, MAX_DIRTY_BYTES)
                    + " && "
                    + SysctlCheck.command("vm.dirty_bytes", 4 * MAX_DIRTY_BYTES)));
  }

  private Stream<Finding> overcommit() {
    return machine.sysctl("vm.overcommit_memory").stream()
        .mapToObj(
            mode ->
                mode == 2
                    ? Finding.of(
                        "vm.overcommit_memory",
                        Status.WARNING,
                        "2",
                        "0 or 1",
                        "the kernel also counts memory that the JVM only reserves, so the node may"
                            + " run out of memory while some is free",
                        SysctlCheck.command("vm.overcommit_memory", 0))
                    : Finding.ok("vm.overcommit_memory", Long.toString(mode), "0 or 1"));
  }
}
