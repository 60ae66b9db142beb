package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimDisk;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The metadata group on the nodes of a simulated cluster. */
final class MetadataCluster implements AutoCloseable {
  private static final MetadataSettings SETTINGS = new MetadataSettings(1 << 16, 20);

  final Simulation simulation;
  final SimCluster cluster;
  final List<NodeId> nodes = new ArrayList<>();
  private final Map<String, MetadataGroup> openGroups = new TreeMap<>();
  private boolean losingCheckpoints;

  MetadataCluster(long seed, int size) {
    simulation = new Simulation(seed);
    cluster = new SimCluster(simulation);
    for (int i = 0; i < size; i++) {
      nodes.add(new NodeId("n" + i));
    }
  }

  /** A checkpoint on a simulated disk; a save takes effect completely or not at all. */
  private record Storage(SimDisk disk, boolean losesCheckpoints) implements MetadataStorage {
    private static final String KEY = "metadata-checkpoint";

    @Override
    public byte @Nullable [] load() {
      return (byte[]) disk.get(KEY);
    }

    @Override
    public void save(byte[] checkpoint) {
      if (losesCheckpoints) {
        return;
      }
      disk.put(KEY, checkpoint);
      disk.syncNow();
    }
  }

  /** Plants a defect: nodes started from now on report checkpoints that they do not save. */
  void loseCheckpoints() {
    losingCheckpoints = true;
  }

  /** Starts a node and opens its replica; creates the replica if the node is new. */
  MetadataGroup start(NodeId node) {
    try {
      SimHost host = cluster.start(node);
      MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(nodes.toArray(NodeId[]::new)));
      MetadataGroup group =
          MetadataGroup.open(
              host, new Storage(host.disk(), losingCheckpoints), SETTINGS, host.process());
      openGroups.put(node.value(), group);
      return group;
    } catch (ConsensusException | IOException e) {
      throw new AssertionError("seed " + simulation.seed() + ": " + node + " does not start", e);
    }
  }

  void startAll() {
    nodes.stream().filter(node -> !cluster.running(node)).forEach(this::start);
  }

  void crash(NodeId node) {
    openGroups.remove(node.value());
    cluster.crash(node);
  }

  @Nullable MetadataGroup group(NodeId node) {
    return openGroups.get(node.value());
  }

  /** The replicas of running nodes, in the order of the nodes. */
  List<MetadataGroup> groups() {
    return List.copyOf(openGroups.values());
  }

  /** Waits for a leader. */
  MetadataGroup leader() {
    simulation.runUntil("a leader of the metadata group", () -> leading() != null, 30_000);
    MetadataGroup leader = leading();
    if (leader == null) {
      throw new AssertionError("no leader");
    }
    return leader;
  }

  private @Nullable MetadataGroup leading() {
    return groups().stream().filter(g -> g.leadership().leading()).findFirst().orElse(null);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
