package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The groups of one process of a simulated node. Unusable after a crash; start the node again. */
public final class SimHost implements ConsensusHost {
  private static final String PREFIX = "raft/";

  private final SimCluster cluster;
  private final SimProcess process;
  private final SimDisk disk;
  private final SimMachine machine;
  private final Map<GroupId, SimConsensus> openGroups = new LinkedHashMap<>();

  SimHost(SimCluster cluster, SimProcess process, SimDisk disk) {
    this.cluster = cluster;
    this.process = process;
    this.disk = disk;
    this.machine = cluster.machine(process.node());
  }

  public NodeId node() {
    return process.node();
  }

  /**
   * The process of this node. Schedule everything of the node on it, so that it ends with the
   * process.
   */
  public SimProcess process() {
    return process;
  }

  public SimDisk disk() {
    return disk;
  }

  public SimMachine machine() {
    return machine;
  }

  public SimNetwork network() {
    return cluster.network();
  }

  @Override
  public Set<GroupId> groups() {
    return disk.entriesWithPrefix(PREFIX).keySet().stream()
        .map(key -> key.split("/")[1])
        .collect(Collectors.toCollection(TreeSet::new))
        .stream()
        .map(GroupId::new)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public void create(GroupId group, ReplicaSet members) {
    if (!groups().contains(group)) {
      SimLog.create(disk, prefix(group), members);
    }
  }

  @Override
  public void create(GroupId group, ReplicaSet members, long appliedIndex) {
    if (!groups().contains(group)) {
      SimLog.create(disk, prefix(group), members, appliedIndex);
    }
  }

  @Override
  public Consensus open(GroupId group, ReplicatedState state) {
    if (openGroups.containsKey(group)) {
      throw new ConsensusException(Kind.FAILED, group + " is already open on " + node());
    }
    SimLog log = SimLog.open(disk, prefix(group));
    if (log == null) {
      throw new ConsensusException(Kind.FAILED, node() + " holds no replica of " + group);
    }
    long applied = state.appliedIndex();
    if (applied < log.base().lastData() || applied > log.lastIndex()) {
      throw new ConsensusException(
          Kind.FAILED,
          "state of %s on %s is at %d but its log holds %d to %d"
              .formatted(group, node(), applied, log.base().index(), log.lastIndex()));
    }
    SimConsensus consensus =
        new SimConsensus(
            group,
            this,
            log,
            state,
            Math.max(applied, log.base().index()),
            cluster.invariants(group));
    openGroups.put(group, consensus);
    consensus.start();
    return consensus;
  }

  @Override
  public void destroy(GroupId group) {
    if (openGroups.containsKey(group)) {
      throw new ConsensusException(Kind.FAILED, "close " + group + " before destroying it");
    }
    SimLog.destroy(disk, prefix(group));
  }

  @Override
  public void close() {
    List.copyOf(openGroups.values()).forEach(Consensus::close);
  }

  /** Groups that are open and have not halted, ordered by name. */
  public List<GroupId> running() {
    return openGroups.values().stream()
        .filter(SimConsensus::isRunning)
        .map(Consensus::group)
        .sorted(Comparator.comparing(GroupId::toString))
        .toList();
  }

  /**
   * Makes this node's replica step down if it leads; the next leader, perhaps the same replica, has
   * a new term. Its pending proposals fail as not appended or with unknown outcome.
   */
  public void depose(GroupId group) {
    running(group).depose();
  }

  /** Whether this node's replica leads in its term, as far as it knows. */
  public boolean leads(GroupId group) {
    return running(group).leads();
  }

  /** Halts this node's replica because of a fault and notifies its owner. */
  public void halt(GroupId group, Exception fault) {
    running(group).fail(fault);
  }

  private SimConsensus running(GroupId group) {
    SimConsensus consensus = openGroups.get(group);
    if (consensus == null) {
      throw new IllegalArgumentException(group + " is not open on " + node());
    }
    return consensus;
  }

  void onClosed(GroupId group) {
    openGroups.remove(group);
  }

  Path newDirectory() {
    return cluster.newDirectory();
  }

  private static String prefix(GroupId group) {
    return PREFIX + group + "/";
  }
}
