package io.fjordmq.cli.doctor;

import io.fjordmq.cli.doctor.NodeConfiguration.Port;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The kernel's queues, buffers and tables for TCP. */
final class NetworkCheck implements Check {
  private static final String PORT_RANGE = "net.ipv4.ip_local_port_range";
  private static final String RESERVED = "net.ipv4.ip_local_reserved_ports";
  private static final String CONNTRACK = "net.netfilter.nf_conntrack_max";
  private static final String TCP_MEMORY = "net.ipv4.tcp_mem";
  private static final int FEW_PROCESSORS = 2;

  private final KernelFiles machine;
  private final NodeConfiguration configuration;
  private final ExpectedLoad load;
  private final int processors;

  NetworkCheck(
      KernelFiles machine, NodeConfiguration configuration, ExpectedLoad load, int processors) {
    this.machine = machine;
    this.configuration = configuration;
    this.load = load;
    this.processors = processors;
  }

  @Override
  public Stream<Finding> findings() {
    SysctlCheck sysctl = new SysctlCheck(machine);
    return Stream.of(
            sysctl.atLeast(
                "net.core.somaxconn",
                load.backlog(),
                Status.WARNING,
                "the kernel caps the accept queue (backlog) of the listeners at this value; in a"
                    + " reconnect storm, it drops connection attempts, and clients retry"
                    + " after a second or more"),
            sysctl.atLeast(
                "net.ipv4.tcp_max_syn_backlog",
                load.backlog(),
                Status.WARNING,
                "the queue of half-open connections is shorter than the accept queue"),
            sysctl.atLeast(
                "net.ipv4.tcp_syncookies",
                1,
                Status.NOTE,
                "a SYN flood or a reconnect storm can block new connections"),
            portRange(),
            conntrack(),
            tcpMemory(),
            receiveQueues())
        .flatMap(findings -> findings);
  }

  /** The kernel may choose a port of the node for a connection to another host. */
  private Stream<Finding> portRange() {
    long[] range = machine.numbers("/proc/sys/net/ipv4/ip_local_port_range");
    if (range.length != 2) {
      return Stream.empty();
    }
    List<Long> conflicting =
        configuration.ports().stream()
            .mapToLong(Port::port)
            .filter(port -> port >= range[0] && port <= range[1] && !isReserved(port))
            .boxed()
            .distinct()
            .toList();
    String found = range[0] + " " + range[1];
    if (conflicting.isEmpty()) {
      return Stream.of(Finding.ok(PORT_RANGE, found, "a range without the ports of the node"));
    }
    String ports = conflicting.stream().map(String::valueOf).collect(Collectors.joining(","));
    return Stream.of(
        Finding.of(
            PORT_RANGE,
            Status.WARNING,
            found,
            "a range without " + ports + ", or " + RESERVED + " with " + ports,
            "an outgoing connection may occupy a port of the node, which then cannot start",
            SysctlCheck.command(RESERVED, reserved() + ports)));
  }

  /** The ports that are reserved already, followed by a comma; empty if there are none. */
  private String reserved() {
    return machine
        .text("/proc/sys/net/ipv4/ip_local_reserved_ports")
        .filter(ports -> !ports.isEmpty())
        .map(ports -> ports + ",")
        .orElse("");
  }

  private boolean isReserved(long port) {
    return machine.text("/proc/sys/net/ipv4/ip_local_reserved_ports").stream()
        .flatMap(text -> Arrays.stream(text.split(",")))
        .filter(part -> part.matches("[0-9]{1,5}(-[0-9]{1,5})?"))
        .map(part -> part.split("-"))
        .anyMatch(
            ends ->
                port >= Long.parseLong(ends[0]) && port <= Long.parseLong(ends[ends.length - 1]));
  }

  private Stream<Finding> conntrack() {
    OptionalLong max = machine.sysctl(CONNTRACK);
    long wanted = load.connections() + load.connections() / 4;
    if (max.isEmpty() || max.getAsLong() >= wanted) {
      return max.stream()
          .mapToObj(value -> Finding.ok(CONNTRACK, Long.toString(value), "at least " + wanted));
    }
    return Stream.of(
        Finding.of(
            CONNTRACK,
            Status.WARNING,
            Long.toString(max.getAsLong()),
            "at least " + wanted,
            "if a firewall tracks connections, the kernel drops packets of new ones when the table"
                + " is full",
            SysctlCheck.command(CONNTRACK, wanted)
                + ", or exempt the ports of the node from tracking (docs/TUNING.md)"));
  }

  /** The second number, in pages, is where the kernel begins to shrink all buffers. */
  private Stream<Finding> tcpMemory() {
    long[] pages = machine.numbers("/proc/sys/net/ipv4/tcp_mem");
    if (pages.length != 3) {
      return Stream.empty();
    }
    long wanted = load.connections();
    String found = LongStream.of(pages).mapToObj(Long::toString).collect(Collectors.joining(" "));
    String floor = "second number at least " + wanted;
    return Stream.of(
        pages[1] >= wanted
            ? Finding.ok(TCP_MEMORY, found, floor)
            : Finding.of(
                TCP_MEMORY,
                Status.WARNING,
                found,
                floor,
                "with one page (4 KiB) of data in flight for each connection, the kernel shrinks"
                    + " all buffers, and drops packets at the third number",
                SysctlCheck.command(
                    TCP_MEMORY, wanted / 2 + " " + wanted + " " + (wanted + wanted / 2))));
  }

  /** One queue means that one processor handles the interrupts of all packets. */
  private Stream<Finding> receiveQueues() {
    if (processors <= FEW_PROCESSORS) {
      return Stream.empty();
    }
    return machine.names("/sys/class/net").stream()
        // Only real devices; a bridge or a virtual pair uses the queues of others.
        .filter(device -> machine.exists("/sys/class/net/" + device + "/device"))
        .flatMap(this::receiveQueues);
  }

  private Stream<Finding> receiveQueues(String device) {
    String folder = "/sys/class/net/" + device + "/queues/";
    List<String> queues =
        machine.names("/sys/class/net/" + device + "/queues").stream()
            .filter(name -> name.startsWith("rx-"))
            .toList();
    boolean isSteered =
        queues.stream()
            .flatMap(queue -> machine.text(folder + queue + "/rps_cpus").stream())
            .anyMatch(mask -> mask.matches(".*[1-9a-f].*"));
    String check = "receive queues of " + device;
    if (queues.size() != 1 || isSteered) {
      return queues.isEmpty()
          ? Stream.empty()
          : Stream.of(Finding.ok(check, queues.size() + (isSteered ? ", with RPS" : ""), ""));
    }
    return Stream.of(
        Finding.of(
            check,
            Status.NOTE,
            "1, without RPS",
            "several, or receive packet steering (RPS)",
            "a single one of "
                + processors
                + " processors handles all packets, which limits their rate",
            "ethtool -L %1$s combined %2$d, or: echo %3$x >%4$srx-0/rps_cpus"
                .formatted(
                    device, processors, (1L << Math.min(processors, Integer.SIZE)) - 1, folder)));
  }
}
