package io.fjordmq.broker.recovery;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.limits.MemoryLimits;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.metadata.MetadataFile;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksLibrary;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.placement.RecoveredRanges;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.range.store.StoredReplica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Recovers a stopped node after the permanent loss of other nodes. Each method locks the data
 * directory, so it fails while the node runs. Blocks; may take minutes, because the node applies
 * its logs.
 */
public final class RecoveryProgram implements AutoCloseable {
  /** Each pass may apply splits, which create groups that the next one recovers. */
  private static final int MAX_PASSES = 8;

  private final BrokerConfig config;
  private final DataDirectory directory;
  private final NodeIdentity identity;
  private final Kv kv;
  private final List<StoreSpec> stores;

  /**
   * Returns what the node has of each range, and which ranges it does not have. Changes nothing.
   *
   * @return lines for people
   * @throws IOException if the node runs or its data cannot be read; the message is for the
   *     operator
   */
  public static List<String> show(BrokerConfig config) throws IOException {
    return run(config, RecoveryProgram::report);
  }

  /**
   * Makes the node the only member of a new cluster, with all data that it has. It gets a new id,
   * so that no node of the old cluster ever talks to it. Can be repeated if it is interrupted;
   * until then, the node does not start.
   *
   * @return lines for people
   * @throws IOException as for {@link #show}
   */
  public static List<String> recoverCluster(BrokerConfig config) throws IOException {
    return run(config, RecoveryProgram::recoverCluster);
  }

  /**
   * Makes the node the only voter of one range, in its cluster.
   *
   * @param range the id of the range, such as {@code inbox-7}
   * @return lines for people
   * @throws IOException as for {@link #show}, or if the node has no data of the range
   */
  public static List<String> recoverRange(BrokerConfig config, String range) throws IOException {
    return run(config, program -> program.recoverOne(range));
  }

  /** What the program does with an open data directory. */
  private interface Task {
    List<String> run(RecoveryProgram program) throws IOException;
  }

  private static List<String> run(BrokerConfig config, Task task) throws IOException {
    try (RecoveryProgram program = open(config)) {
      return task.run(program);
    } catch (ConsensusException | KvException | MalformedBytesException e) {
      throw new RecoveryException(String.valueOf(e.getMessage()), e);
    }
  }

  private static RecoveryProgram open(BrokerConfig config) throws IOException {
    Path path = Path.of(config.dataDir());
    if (!Files.isDirectory(path)) {
      throw new RecoveryException("there is no data directory " + path);
    }
    DataDirectory directory = DataDirectory.open(path);
    try {
      NodeIdentity identity =
          NodeIdentity.load(directory)
              .orElseThrow(
                  () ->
                      new RecoveryException(
                          "the data directory %s does not belong to a node".formatted(path)));
      RocksLibrary.load(directory.resolve("native"));
      Kv kv =
          RocksKv.open(
              directory.resolve("state"),
              config.storageConfig().sizedFor(MemoryLimits.ofProcess().databases()));
      return new RecoveryProgram(config, directory, identity, kv);
    } catch (IOException | RuntimeException e) {
      directory.close();
      throw e;
    }
  }

  private RecoveryProgram(
      BrokerConfig config, DataDirectory directory, NodeIdentity identity, Kv kv) {
    this.config = config;
    this.directory = directory;
    this.identity = identity;
    this.kv = kv;
    this.stores = OfflineReplicas.stores(config);
  }

  private List<String> report() throws IOException {
    MetadataView metadata = new MetadataFile(directory.resolve("metadata")).view();
    try (JRaftHost host = OfflineReplicas.openHost(config, directory, identity.node())) {
      return new RecoveryReport(identity, host, kv, metadata).of(stores);
    }
  }

  private List<String> recoverCluster() throws IOException {
    List<String> lines = new ArrayList<>(report());
    RecoveryFile file = new RecoveryFile(directory);
    NodeIdentity next = file.load().orElseGet(() -> NodeIdentity.random(new SecureRandom()));
    file.store(next);
    int pass = 0;
    while (!recoverGroups(next, lines)) {
      if (++pass == MAX_PASSES) {
        throw new RecoveryException(
            "ranges are still splitting after " + MAX_PASSES + " passes; run the command again");
      }
    }
    next.replaceIn(directory);
    // The next start of this node is the first one of its new id, and nobody else is known to it.
    Files.deleteIfExists(directory.resolve("addresses"));
    Files.deleteIfExists(directory.resolve(StartFence.FILE));
    file.delete();
    lines.add(
        "Recovered as node %s of the new cluster %s. Start it, then add nodes with empty data directories."
            .formatted(next.node(), next.clusterId()));
    return List.copyOf(lines);
  }

  /**
   * Applies all logs as the only voter, and makes the metadata that of a cluster of one node.
   *
   * @return false if a log had ranges that split while it was applied, so that this must be
   *     repeated
   */
  private boolean recoverGroups(NodeIdentity next, List<String> lines) throws IOException {
    Set<GroupId> groups = new HashSet<>(Set.of(MetadataGroup.GROUP));
    for (StoreSpec store : stores) {
      StoredReplica.all(kv, store.name()).stream()
          .filter(replica -> !replica.isEmpty())
          .forEach(replica -> groups.add(replica.descriptor().group()));
    }
    try (OfflineReplicas replicas =
        OfflineReplicas.open(config, directory, kv, next.node(), groups)) {
      if (!replicas.isComplete()) {
        return false;
      }
      RangeDirectory published = RangeDirectory.of(replicas.metadata().view());
      replicas.raiseEpochs(published);
      List<Change> changes = new ArrayList<>();
      for (StoreSpec store : stores) {
        RecoveredRanges ranges =
            RecoveredRanges.of(
                published, store.name(), stored(replicas.status(), store.name()), next.node());
        replicas.ranges().createInitialRanges(ranges.replacements());
        changes.addAll(ranges.changes());
      }
      changes.addAll(membership(replicas.metadata().view(), next));
      replicas.write(changes);
      replicas.checkpointMetadata();
      replicas.status().forEach(replica -> lines.add(applied(replica)));
      return true;
    }
  }

  private static List<StoredReplica> stored(List<ReplicaStatus> replicas, String store) {
    return replicas.stream()
        .filter(replica -> replica.descriptor().id().store().equals(store))
        .map(replica -> new StoredReplica(replica.descriptor(), replica.appliedIndex()))
        .toList();
  }

  private static String applied(ReplicaStatus replica) {
    RangeDescriptor range = replica.descriptor();
    return "%-9s recovered up to index %d".formatted(range.id(), replica.appliedIndex());
  }

  /** The changes that remove all other nodes, among them this one with its previous id. */
  private static List<Change> membership(MetadataView view, NodeIdentity next) {
    List<Change> changes = new ArrayList<>();
    for (NodeRecord node : NodeRecord.all(view)) {
      if (!node.node().equals(next.node()) && node.state() != NodeRecord.State.REMOVED) {
        NodeRecord removed = node.withState(NodeRecord.State.REMOVED);
        changes.add(Change.put(NodeRecord.key(node.node()), removed.encode()));
      }
    }
    ClusterRecord old = ClusterRecord.of(view);
    if (old != null) {
      ClusterRecord renamed = new ClusterRecord(next.clusterId(), old.createdMillis(), old.env());
      changes.add(Change.put(ClusterRecord.KEY, renamed.encode()));
    }
    return changes;
  }

  private List<String> recoverOne(String name) throws IOException {
    if (new RecoveryFile(directory).load().isPresent()) {
      throw new RecoveryException(
          "a recovery of the whole node was interrupted; repeat it without --range");
    }
    StoredReplica replica = null;
    for (StoreSpec store : stores) {
      for (StoredReplica candidate : StoredReplica.all(kv, store.name())) {
        replica = candidate.descriptor().id().toString().equals(name) ? candidate : replica;
      }
    }
    if (replica == null || replica.isEmpty()) {
      throw new RecoveryException(
          "this node has no data of range %s; 'fjordmq recover' without --confirm lists what it has"
              .formatted(name));
    }
    NodeId self = identity.node();
    GroupId group = replica.descriptor().group();
    List<String> lines =
        new ArrayList<>(report().stream().filter(line -> line.startsWith(name + " ")).toList());
    RangeDirectory published =
        RangeDirectory.of(new MetadataFile(directory.resolve("metadata")).view());
    try (OfflineReplicas replicas =
        OfflineReplicas.open(config, directory, kv, self, Set.of(group))) {
      replicas.raiseEpochs(published);
      replicas.status().stream()
          .filter(status -> status.descriptor().group().equals(group))
          .forEach(status -> lines.add(applied(status)));
    }
    lines.add(
        "Recovered: this node is the only voter of range %s. Start it, then remove the lost nodes ('fjordmq cluster remove') and never start them again."
            .formatted(name));
    return List.copyOf(lines);
  }

  @Override
  public void close() throws IOException {
    kv.close();
    directory.close();
  }
}
