package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The duties of the metadata leader for its own group during one term: it maintains the replica set
 * ({@link MetadataReplicaPlan}) and hands over leadership if another node should lead. Used by the
 * membership thread.
 */
final class MetadataReplicaUpdater {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataReplicaUpdater.class);

  private final NodeId self;
  private final MetadataGroup metadata;
  private final MembershipSettings settings;
  private final Timers timers;
  private boolean changingReplicas;
  private boolean handingOver;

  MetadataReplicaUpdater(
      NodeId self, MetadataGroup metadata, MembershipSettings settings, Timers timers) {
    this.self = self;
    this.metadata = metadata;
    this.settings = settings;
    this.timers = timers;
  }

  /** Makes the next change of the replica set, if one is due and none is in progress. */
  void adjust(Members members) {
    if (changingReplicas) {
      return;
    }
    ReplicaSet replicas = metadata.status().replicas();
    NodeId successor = MetadataReplicaPlan.successor(replicas, members, self);
    if (successor != null) {
      LOG.info(
          "Decommissioning this node: transferring metadata leadership successor={}", successor);
      trackChange(metadata.transferLeadership(successor));
      return;
    }
    ReplicaSet target = MetadataReplicaPlan.next(replicas, members, self);
    if (target != null) {
      LOG.info("Changing the metadata replicas from={} to={}", replicas, target);
      trackChange(metadata.changeReplicas(target));
    }
  }

  private void trackChange(CompletableFuture<Void> change) {
    changingReplicas = true;
    change.whenCompleteAsync(
        (done, failure) -> {
          if (failure != null) {
            LOG.warn(
                "Cannot change the metadata replicas; retrying: {}",
                OperationException.unwrap(failure).getMessage());
          }
          timers.schedule(
              failure == null ? 0 : settings.retryInterval().toMillis(),
              () -> changingReplicas = false);
        },
        timers);
  }

  /**
   * Transfers leadership to an UP voter if this node is draining, was removed or has disk problems.
   */
  void handOver(Members members) {
    Member own = members.find(self);
    boolean removed = members.removed().containsKey(self);
    String state = removed ? "REMOVED" : own == null ? "UP" : own.state().name();
    if (state.equals("UP") || handingOver) {
      return;
    }
    metadata.status().replicas().voters().stream()
        .map(members::find)
        .filter(voter -> voter != null && voter.state() == Member.State.UP)
        .map(Member::node)
        .min(Comparator.comparing(NodeId::value))
        .ifPresent(
            target -> {
              handingOver = true;
              LOG.info("Transferring metadata leadership target={} state={}", target, state);
              metadata
                  .transferLeadership(target)
                  .whenCompleteAsync(
                      (done, failure) -> handingOver = false,
                      later -> timers.schedule(settings.lease().toMillis(), later));
            });
  }
}
