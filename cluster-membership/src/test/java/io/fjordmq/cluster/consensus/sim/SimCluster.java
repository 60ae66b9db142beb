package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Nodes with disks on one network in one {@link Simulation}. Start nodes, open groups on their
 * hosts, crash and restart them; the invariants of Raft are checked continuously.
 *
 * <p>After a crash, a layer above drops its objects, which no longer work; its {@link SimDisk}
 * contains what was synced; {@link #start} returns a new host on which to reopen everything.
 */
public final class SimCluster implements AutoCloseable {
  private final Simulation simulation;
  private final SimNetwork network;
  private final Map<String, SimDisk> disks = new HashMap<>();
  private final Map<String, SimMachine> machines = new HashMap<>();
  private final Map<String, SimHost> runningHosts = new TreeMap<>();
  private final Map<GroupId, RaftInvariants> invariants = new HashMap<>();
  private @Nullable Path directory;
  private int directories;

  public SimCluster(Simulation simulation) {
    this.simulation = simulation;
    this.network = new SimNetwork(simulation);
  }

  public Simulation simulation() {
    return simulation;
  }

  public SimNetwork network() {
    return network;
  }

  /** The disk of the node, whether or not the node runs. */
  public SimDisk disk(NodeId node) {
    return disks.computeIfAbsent(node.value(), n -> new SimDisk(simulation));
  }

  /** Replaces the disk of a stopped node with an empty one. */
  public void loseDisk(NodeId node) {
    if (running(node)) {
      throw new IllegalStateException(node + " is running");
    }
    disks.remove(node.value());
  }

  /** The machine of the node, whether or not the node runs. */
  public SimMachine machine(NodeId node) {
    return machines.computeIfAbsent(node.value(), n -> new SimMachine(simulation));
  }

  /** Starts a stopped node with the contents of its disk. */
  public SimHost start(NodeId node) {
    if (running(node)) {
      throw new IllegalStateException(node + " is already running");
    }
    SimHost host = new SimHost(this, new SimProcess(simulation, node), disk(node));
    runningHosts.put(node.value(), host);
    return host;
  }

  public boolean running(NodeId node) {
    return runningHosts.containsKey(node.value());
  }

  /** The running nodes, ordered by name. */
  public List<NodeId> running() {
    List<NodeId> nodes = new ArrayList<>();
    runningHosts.values().forEach(host -> nodes.add(host.node()));
    return nodes;
  }

  /** The host of a running node. */
  public SimHost host(NodeId node) {
    SimHost host = runningHosts.get(node.value());
    if (host == null) {
      throw new IllegalStateException(node + " is not running");
    }
    return host;
  }

  /** Kills the node immediately: no callbacks, no messages, and unsynced writes are lost. */
  public void crash(NodeId node) {
    SimHost host = host(node);
    runningHosts.remove(node.value());
    host.process().end();
    network.unregisterAll(node);
    host.disk().crash();
  }

  /** Stops the node cleanly: closes its groups and loses nothing on its disk. */
  public void stop(NodeId node) {
    SimHost host = host(node);
    host.close();
    host.disk().syncNow();
    runningHosts.remove(node.value());
    host.process().end();
    network.unregisterAll(node);
  }

  /** Deletes the snapshot files that were transferred between replicas. */
  @Override
  public void close() {
    Path root = directory;
    if (root == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  RaftInvariants invariants(GroupId group) {
    return invariants.computeIfAbsent(group, g -> new RaftInvariants());
  }

  Path newDirectory() {
    try {
      Path root = directory;
      if (root == null) {
        root = MemoryDirectory.create("fjordmq-sim");
        directory = root;
      }
      return Files.createDirectory(root.resolve("copy-" + ++directories));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
