package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A network for the nodes of one cluster: a network namespace for each, joined by a bridge in the
 * namespace this process runs in, where the clients are. Nothing in it reaches any real network.
 * Everything goes with the processes that hold the namespaces. Used by one thread.
 *
 * <p>Node {@code n} has the address {@link #address}. A way is cut by sending its packets to a
 * hardware address that nobody has, so one direction can be cut alone and neither side is told.
 */
final class Network implements AutoCloseable {
  private static final String PREFIX = "198.18.0.";
  private static final String NOBODY = "02:00:00:00:ff:ff";
  private static final String BRIDGE = "chaos";

  private final List<Process> holders = new ArrayList<>();

  /**
   * Makes it. The process must be in a network namespace of its own ({@code unshare -n}), as root.
   */
  Network(int nodes) throws IOException {
    Command.run("ip", "link", "add", BRIDGE, "type", "bridge");
    Command.run("ip", "addr", "add", PREFIX + "1/24", "dev", BRIDGE);
    Command.run("ip", "link", "set", BRIDGE, "up");
    for (int node = 1; node <= nodes; node++) {
      Process holder = new ProcessBuilder("unshare", "-n", "sleep", "infinity").start();
      holders.add(holder);
      awaitOwnNamespace(holder.pid());
      join(node, Long.toString(holder.pid()));
    }
    // Neighbours are named, not asked for: what is not named cannot be found by itself.
    for (int from = 1; from <= nodes; from++) {
      for (int to = 1; to <= nodes; to++) {
        if (from != to) {
          neighbour(from, to, hardware(to));
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

  private void join(int node, String pid) {
    Command.run(
        "ip", "link", "add", port(node), "type", "veth", "peer", "name", "eth0", "netns", pid);
    Command.run("ip", "link", "set", port(node), "master", BRIDGE, "up");
    within(node, "ip", "link", "set", "lo", "up");
    within(node, "ip", "link", "set", "eth0", "address", hardware(node), "up");
    within(node, "ip", "addr", "add", address(node) + "/24", "dev", "eth0");
  }

  /** Where the node is reached. */
  static String address(int node) {
    return PREFIX + (10 + node);
  }

  private static String hardware(int node) {
    return "02:00:00:00:00:%02x".formatted(node);
  }

  private static String port(int node) {
    return "node" + node;
  }

  /** What a command has to be given to, to run at the node; it keeps its process id. */
  List<String> at(int node) {
    String pid = Long.toString(holders.get(node - 1).pid());
    return List.of("nsenter", "-t", pid, "-n", "--");
  }

  private void within(int node, String... command) {
    List<String> line = new ArrayList<>(at(node));
    line.addAll(List.of(command));
    Command.run(line.toArray(String[]::new));
  }

  /** Takes the node off the network: nodes and clients cannot reach it, nor it them. */
  void unplug(int node) {
    Command.run("ip", "link", "set", port(node), "down");
  }

  void plug(int node) {
    Command.run("ip", "link", "set", port(node), "up");
  }

  /** Loses everything that one node sends to another; the way back is left alone. */
  void cut(int from, int to) {
    neighbour(from, to, NOBODY);
  }

  void mend(int from, int to) {
    neighbour(from, to, hardware(to));
  }

  private void neighbour(int from, int to, String hardware) {
    within(
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
