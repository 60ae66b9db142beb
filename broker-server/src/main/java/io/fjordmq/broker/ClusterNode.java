package io.fjordmq.broker;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.metadata.MetadataFile;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node as a member of its cluster: who it is, its replica of the metadata group, and what it
 * has written there. Used by the starting thread; blocks.
 */
final class ClusterNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String RANGES = "range/";

  private final NodeIdentity identity;
  private final MetadataGroup metadata;
  private final long incarnation;

  private ClusterNode(NodeIdentity identity, MetadataGroup metadata, long incarnation) {
    this.identity = identity;
    this.metadata = metadata;
    this.incarnation = incarnation;
  }

  /**
   * The identity kept in the data directory; on the first start of a cluster's first node a new
   * one.
   *
   * @throws StartException if this is a first start and the configuration does not say that it
   *     makes a cluster
   */
  static NodeIdentity identity(BrokerConfig config, DataDirectory directory)
      throws StartException, IOException {
    Optional<NodeIdentity> kept = NodeIdentity.load(directory);
    if (kept.isPresent()) {
      return kept.get();
    }
    if (!config.bootstrap()) {
      throw new StartException(
          "the data directory "
              + directory.path()
              + " is new and 'bootstrap' is false: set bootstrap: true for the first start of a cluster's first"
              + " node, or point dataDir to the data of this node (joining a running cluster is not available in"
              + " this version)");
    }
    NodeIdentity made = NodeIdentity.random(new SecureRandom());
    made.store(directory);
    LOG.info("first start: node={} cluster={}", made.node(), made.clusterId());
    return made;
  }

  /**
   * Opens the metadata group, creating it in the first life of the cluster, and registers this
   * start.
   *
   * @param disk runs checkpoints
   */
  static ClusterNode open(
      BrokerConfig config,
      NodeIdentity identity,
      ConsensusHost host,
      DataDirectory directory,
      Executor disk)
      throws StartException, IOException, ConsensusException {
    if (!MetadataGroup.exists(host)) {
      requireUnfinishedBootstrap(config, host, directory);
      MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(identity.node()));
    }
    MetadataFile file = new MetadataFile(directory.resolve("metadata"));
    MetadataGroup metadata = MetadataGroup.open(host, file, config.metadataConfig(), disk);
    try {
      MetadataView view = awaitLeading(metadata);
      List<Change> changes = new ArrayList<>();
      checkCluster(identity, view, changes);
      long incarnation = nextIncarnation(identity.node(), view);
      NodeAddress address = new NodeAddress(hostOf(config), config.clusterConfig().port());
      NodeRecord record = new NodeRecord(identity.node(), address, incarnation);
      changes.add(Change.put(NodeRecord.key(identity.node()), record.encode()));
      write(metadata, changes);
      return new ClusterNode(identity, metadata, incarnation);
    } catch (StartException | RuntimeException e) {
      metadata.close();
      throw e;
    }
  }

  /**
   * A node with an identity but no metadata was killed while it made its cluster, or has lost its
   * log.
   */
  private static void requireUnfinishedBootstrap(
      BrokerConfig config, ConsensusHost host, DataDirectory directory) throws StartException {
    if (!config.bootstrap() || !host.groups().isEmpty()) {
      throw new StartException(
          "the data directory "
              + directory.path()
              + " has an identity but no cluster metadata: restore it from a backup; if the very first start was"
              + " interrupted, empty it and start with bootstrap: true");
    }
  }

  private static MetadataView awaitLeading(MetadataGroup metadata) throws StartException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!metadata.leadership().leading()) {
      if (System.nanoTime() > deadline) {
        throw new StartException(
            "the metadata group has no leader after "
                + PATIENCE.toSeconds()
                + " s; the log says why");
      }
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
    return await(metadata.readView(), "reading the cluster's metadata");
  }

  private static void checkCluster(NodeIdentity identity, MetadataView view, List<Change> changes)
      throws StartException {
    ClusterRecord cluster = ClusterRecord.of(view);
    if (cluster == null) {
      ClusterRecord made = new ClusterRecord(identity.clusterId(), System.currentTimeMillis());
      changes.add(Change.put(ClusterRecord.KEY, made.encode(), Change.ABSENT));
    } else if (!cluster.id().equals(identity.clusterId())) {
      throw new StartException(
          "the data directory mixes two clusters: node.id says "
              + identity.clusterId()
              + ", the metadata "
              + cluster.id()
              + "; restore both from the same backup");
    }
  }

  private static long nextIncarnation(NodeId node, MetadataView view) {
    MetadataRecord record = view.get(NodeRecord.key(node));
    return record == null ? 1 : NodeRecord.decode(record).incarnation() + 1;
  }

  private static String hostOf(BrokerConfig config) throws IOException {
    String configured = config.clusterConfig().host();
    return configured.isBlank() ? InetAddress.getLocalHost().getHostAddress() : configured;
  }

  private static void write(MetadataGroup metadata, List<Change> changes) throws StartException {
    WriteResult result = await(metadata.write(changes), "registering this start");
    if (result instanceof WriteResult.Conflict conflict) {
      throw new StartException("the cluster's metadata were changed meanwhile: " + conflict.key());
    }
  }

  /** The ranges the cluster has; empty before {@link #recordRanges}. */
  List<RangeDescriptor> ranges() {
    return metadata.view().withPrefix(RANGES).stream()
        .map(record -> RangeDescriptorCodec.decode(record.value()))
        .toList();
  }

  /** Writes the ranges a new cluster begins with. */
  void recordRanges(List<RangeDescriptor> ranges) throws StartException {
    List<Change> changes = new ArrayList<>();
    for (RangeDescriptor range : ranges) {
      String key = RANGES + range.id().store() + "/" + range.id().number();
      changes.add(Change.put(key, RangeDescriptorCodec.encode(range), Change.ABSENT));
    }
    write(metadata, changes);
  }

  NodeIdentity identity() {
    return identity;
  }

  /** Of this process: higher than that of every earlier one of this node. */
  long incarnation() {
    return incarnation;
  }

  MetadataGroup metadata() {
    return metadata;
  }

  private static <T> T await(CompletableFuture<T> future, String what) throws StartException {
    try {
      return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new StartException(what + " failed: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new StartException(what + " took more than " + PATIENCE.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException(what + " was interrupted", e);
    }
  }

  @Override
  public void close() {
    metadata.close();
  }
}
