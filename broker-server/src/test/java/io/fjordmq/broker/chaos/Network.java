package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The network of one cluster: a network namespace for each node, joined by a bridge in the
 * namespace of this process, where the clients run. Nothing in it reaches a real network. The
 * namespaces disappear with the processes that hold them. Used by one thread.
 *
 * <p>Node {@code n} has the address {@link #address}. One direction is cut by sending its packets
 * to an unused hardware address, so neither side receives an error.
 */
final class Network implements AutoCloseable {
  private static final String PREFIX = "198.18.0.";
  private static final String UNUSED_HARDWARE_ADDRESS = "02:00:00:00:ff:ff";
  private static final String BRIDGE = "chaos";

  private final List<Process> holders = new ArrayList<>();

  /** Creates it. The process must run as root in its own network namespace ({@code unshare -n}). */
  Network(int nodes) throws IOException {
    Command.run("ip", "link", "add", BRIDGE, "type", "bridge");
    Command.run("ip", "addr", "add", PREFIX + "1/24", "dev", BRIDGE);
    Command.run("ip", "link", "set", BRIDGE, "up");
    for (int node = 1; node <= nodes; node++) {
      Process holder = new ProcessBuilder("unshare", "-n", "sleep", "infinity").start();
      holders.add(holder);
      awaitOwnNamespace(holder.pid());
      connectNode(node, Long.toString(holder.pid()));
    }
    // Neighbors are static: ARP must not discover an address that was removed.
    for (int from = 1; from <= nodes; from++) {
      for (int to = 1; to <= nodes; to++) {
        if (from != to) {
          setNeighbor(from, to, hardwareAddress(to));
        }
      }
    }
  }

  private static void awaitOwnNamespace(long pid) throws IOException {
    java.nio.file.Path ours = java.nio.file.Path.of("/proc/self/ns/net");
    java.nio.file.Path its = java.nio.file.Path.of("/proc/" + pid + "/ns/net");
    long deadline = System.nanoTime() + 5_000_000_000L;
    while (java.nio.file.Files.readSymbolicLink(its)
        .equals(java.nio.file.Files.readSymbolicLink(ours))) {
      if (System.nanoTime() > deadline) {
        throw new IOException("process " + pid + " did not get a network namespace");
      }
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
  }

  private void connectNode(int node, String pid) {
    Command.run(
        "ip",
        "link",
        "add",
        bridgePort(node),
        "type",
        "veth",
        "peer",
        "name",
        "eth0",
        "netns",
        pid);
    Command.run("ip", "link", "set", bridgePort(node), "master", BRIDGE, "up");
    runAt(node, "ip", "link", "set", "lo", "up");
    runAt(node, "ip", "link", "set", "eth0", "address", hardwareAddress(node), "up");
    runAt(node, "ip", "addr", "add", address(node) + "/24", "dev", "eth0");
  }

  /** The address of the node. */
  static String address(int node) {
    return PREFIX + (10 + node);
  }

  private static String hardwareAddress(int node) {
    return "02:00:00:00:00:%02x".formatted(node);
  }

  private static String bridgePort(int node) {
    return "node" + node;
  }

  /** The prefix of a command that runs it at the node; the process id stays the same. */
  List<String> commandPrefix(int node) {
    String pid = Long.toString(holders.get(node - 1).pid());
    return List.of("nsenter", "-t", pid, "-n", "--");
  }

  private void runAt(int node, String... command) {
    List<String> line = new ArrayList<>(commandPrefix(node));
    line.addAll(List.of(command));
    Command.run(line.toArray(String[]::new));
  }

  /** Disconnects the node from the network: nodes and clients cannot reach it, nor it them. */
  void disconnect(int node) {
    Command.run("ip", "link", "set", bridgePort(node), "down");
  }

  void reconnect(int node) {
    Command.run("ip", "link", "set", bridgePort(node), "up");
  }

  /** Drops everything that one node sends to another; the opposite direction still works. */
  void cut(int from, int to) {
    setNeighbor(from, to, UNUSED_HARDWARE_ADDRESS);
  }

  void restore(int from, int to) {
    setNeighbor(from, to, hardwareAddress(to));
  }

  private void setNeighbor(int from, int to, String hardware) {
    runAt(
        from,
        "ip",
        "neigh",
        "replace",
        address(to),
        "lladdr",
        hardware,
        "dev",
        "eth0",
        "nud",
        "permanent");
  }

  @Override
  public void close() {
    holders.forEach(Process::destroyForcibly);
  }
}
