package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
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
 * hosts, crash and restart them; Raft's own invariants are checked all along.
 *
 * <p>What a crash means for a layer above: its objects are dead (drop them), its {@link SimDisk}
 * content is what was synced, and {@link #start} gives a new host to open everything on again.
 */
public final class SimCluster implements AutoCloseable {
  private final Simulation simulation;
  private final SimNetwork network;
  private final Map<String, SimDisk> disks = new HashMap<>();
  private final Map<String, SimMachine> machines = new HashMap<>();
  private final Map<String, SimHost> running = new TreeMap<>();
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

  /** The node's disk, whether it runs or not. */
  public SimDisk disk(NodeId node) {
    return disks.computeIfAbsent(node.value(), n -> new SimDisk(simulation));
  }

  /** The node's machine, whether the node runs or not. */
  public SimMachine machine(NodeId node) {
    return machines.computeIfAbsent(node.value(), n -> new SimMachine(simulation));
  }

  /** Starts a node that does not run, on what its disk holds. */
  public SimHost start(NodeId node) {
    if (running(node)) {
      throw new IllegalStateException(node + " runs already");
    }
    SimHost host = new SimHost(this, new SimProcess(simulation, node), disk(node));
    running.put(node.value(), host);
    return host;
  }

  public boolean running(NodeId node) {
    return running.containsKey(node.value());
  }

  /** Running nodes in the order of their names. */
  public List<NodeId> running() {
    List<NodeId> nodes = new ArrayList<>();
    running.values().forEach(host -> nodes.add(host.node()));
    return nodes;
  }

  /** The host of a running node. */
  public SimHost host(NodeId node) {
    SimHost host = running.get(node.value());
    if (host == null) {
      throw new IllegalStateException(node + " does not run");
    }
    return host;
  }

  /** The node dies at once: no callback, no message, and unsynced writes are lost. */
  public void crash(NodeId node) {
    SimHost host = host(node);
    running.remove(node.value());
    host.process().end();
    network.forgetAll(node);
    host.disk().crash();
  }

  /** The node ends in order: its groups are closed, nothing on its disk is lost. */
  public void stop(NodeId node) {
    SimHost host = host(node);
    host.close();
    host.disk().syncNow();
    running.remove(node.value());
    host.process().end();
    network.forgetAll(node);
  }

  /** Removes the files that were copied between replicas. */
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
        root = Files.createTempDirectory("fjordmq-sim");
        directory = root;
      }
      return Files.createDirectory(root.resolve("copy-" + ++directories));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
