package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.membership.LeaderRequest.Registration;
import io.fjordmq.cluster.membership.LeaderResponse.Failed;
import io.fjordmq.cluster.membership.LeaderResponse.KnownIncarnation;
import io.fjordmq.cluster.membership.LeaderResponse.Registered;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeLevels;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.StartRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registration of nodes by the metadata leader: each start of a node gets the next incarnation.
 * Used by the membership thread.
 */
final class NodeRegistry {
  private static final Logger LOG = LoggerFactory.getLogger(NodeRegistry.class);

  private final String clusterId;
  private final String env;
  private final MetadataGroup metadata;
  private final Timers timers;
  private final ClusterClock clock;
  private final StartFence fence;

  NodeRegistry(
      String clusterId,
      String env,
      MetadataGroup metadata,
      Timers timers,
      ClusterClock clock,
      StartFence fence) {
    this.clusterId = clusterId;
    this.env = env;
    this.metadata = metadata;
    this.timers = timers;
    this.clock = clock;
    this.fence = fence;
  }

  /**
   * Registers the next incarnation of a node as STARTING and begins its lease.
   *
   * @param term the term in which this node leads
   */
  CompletableFuture<LeaderResponse> register(
      long term, LeaseTable leases, NodeId from, Registration registration) {
    MetadataView view = metadata.view();
    MetadataRecord record = view.get(NodeRecord.key(from));
    long known = record == null ? 0 : NodeRecord.decode(record).incarnation();
    if (known != registration.knownIncarnation()) {
      return CompletableFuture.completedFuture(new KnownIncarnation(known));
    }
    LevelRecord level = LevelRecord.of(view);
    boolean isNewCluster = ClusterRecord.of(view) == null;
    String refusal = isNewCluster ? null : LevelPlan.refusal(registration.levels(), level.level());
    if (refusal != null) {
      LOG.warn("Refused to register a node: {} node={}", refusal, from);
      return CompletableFuture.completedFuture(new LeaderResponse.Refused(refusal));
    }
    StartStamp start = fence.latestStart(from);
    StartRecord.all(view).forEach(fence::onRegistered); // this node may have just become leader
    if (!Objects.equals(start, fence.latestStart(from))) {
      String reason = "a later start of node %s is already registered".formatted(from);
      return CompletableFuture.completedFuture(new Failed(ConsensusException.Kind.BUSY, reason));
    }
    List<Change> batch = new ArrayList<>();
    if (isNewCluster) {
      ClusterRecord cluster = new ClusterRecord(clusterId, clock.millis(), env);
      batch.add(Change.put(ClusterRecord.KEY, cluster.encode(), Change.ABSENT));
    }
    NodeRecord starting =
        new NodeRecord(from, registration.address(), known + 1, NodeRecord.State.STARTING);
    long expected = record == null ? Change.ABSENT : record.version();
    // Starts the lease before the write, because the record may be applied before the first
    // renewal.
    leases.begin(from, known + 1, view.version(), timers.nowMillis());
    batch.add(Change.put(NodeRecord.key(from), starting.encode(), expected));
    if (start != null && start.count() > 0) {
      batch.add(StartRecord.put(from, start, view));
    }
    addLevels(batch, from, registration.levels(), view);
    return metadata
        .write(term, batch)
        .thenComposeAsync(
            result ->
                result instanceof WriteResult.Conflict conflict
                        && conflict.key().equals(LevelRecord.KEY)
                    ? register(term, leases, from, registration) // decides with the new level
                    : CompletableFuture.completedFuture(response(result, starting)),
            timers);
  }

  private static LeaderResponse response(WriteResult result, NodeRecord starting) {
    if (result instanceof WriteResult.Applied applied) {
      LOG.info(
          "Registered node as STARTING node={} address={} incarnation={}",
          starting.node(),
          starting.address(),
          starting.incarnation());
      return new Registered(starting.incarnation(), applied.version());
    }
    return new Failed(
        ConsensusException.Kind.BUSY, "the record of the node was changed concurrently");
  }

  /**
   * Announces the levels of the node if they have changed. The record of the cluster's level is
   * then written as well, so that no level is raised at the same time that the node lacks.
   */
  private static void addLevels(
      List<Change> batch, NodeId from, SupportedLevels levels, MetadataView view) {
    boolean isNewCluster = ClusterRecord.of(view) == null;
    LevelRecord level = isNewCluster ? LevelRecord.at(levels.highest()) : LevelRecord.of(view);
    boolean changed = !levels.equals(NodeLevels.of(view, from));
    if (changed) {
      batch.add(NodeLevels.put(from, levels, view));
    }
    if (changed || !level.equals(LevelRecord.of(view))) {
      batch.add(level.put(view));
    }
  }
}
