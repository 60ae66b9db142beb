package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Carries out steps through the nodes and the metadata. Thread-safe; does not block. */
final class StepRunner {
  private final PlacementOrders orders;
  private final Membership membership;
  private final RangeDirectory directory;
  private final Duration timeout;

  StepRunner(
      PlacementOrders orders, Membership membership, RangeDirectory directory, Duration timeout) {
    this.orders = orders;
    this.membership = membership;
    this.directory = directory;
    this.timeout = timeout;
  }

  /**
   * Completes when the step is done; fails with the reason if it was not done or its outcome is
   * unknown. Does not throw.
   */
  CompletableFuture<?> run(Step step) {
    try {
      return begin(step);
    } catch (RuntimeException e) { // otherwise the range would stay busy forever
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<?> begin(Step step) {
    if (step instanceof Step.RemoveStaleReplica removeStaleReplica) {
      return send(
          removeStaleReplica.node(),
          new MergeOrder.RemoveStaleReplica(
              removeStaleReplica.range(), removeStaleReplica.successors()));
    } else if (step instanceof Step.Forget forget) {
      return send(forget.node(), new PlacementOrder.Forget(forget.range()));
    }
    RangeDirectory.Published published = directory.ranges().get(step.range());
    if (published == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("range " + step.range() + " is no longer published"));
    }
    if (step instanceof Step.Publish publish) {
      return publish(published, publish.replicas());
    } else if (step instanceof Step.PublishRanges publishRanges) {
      return publishRanges(publishRanges);
    } else if (step instanceof Step.Split split) {
      return split(split);
    } else if (step instanceof Step.Ensure ensure) {
      RangeDescriptor descriptor = withReplicas(published.descriptor(), ensure.members());
      return send(ensure.node(), new PlacementOrder.Ensure(descriptor));
    } else if (step instanceof Step.Change change) {
      return change(change.leader(), change.range(), change.from(), change.to());
    } else if (step instanceof Step.Transfer transfer) {
      return send(
          transfer.leader(), new PlacementOrder.Transfer(transfer.range(), transfer.target()));
    } else if (step instanceof Step.Freeze freeze) {
      return send(freeze.leader(), new MergeOrder.Freeze(freeze.right(), freeze.left()));
    } else if (step instanceof Step.Absorb absorb) {
      return send(
          absorb.leader(), new MergeOrder.Absorb(absorb.left(), absorb.right(), absorb.replicas()));
    } else if (step instanceof Step.BumpEpoch bumpEpoch) {
      return send(bumpEpoch.leader(), new MergeOrder.BumpEpoch(bumpEpoch.left()));
    } else if (step instanceof Step.Unfreeze unfreeze) {
      return send(unfreeze.leader(), new MergeOrder.Unfreeze(unfreeze.range()));
    }
    Step.Drop drop = (Step.Drop) step;
    return change(drop.leader(), drop.range(), drop.members(), drop.members())
        .thenCompose(
            confirmed ->
                send(drop.node(), new PlacementOrder.Drop(drop.range(), drop.asOfIndex())));
  }

  private CompletableFuture<byte[]> change(
      NodeId leader, RangeId range, ReplicaSet from, ReplicaSet to) {
    return send(leader, new PlacementOrder.Change(range, from, to));
  }

  private CompletableFuture<byte[]> send(NodeId node, PlacementOrder.Task task) {
    return orders.send(node, task, timeout);
  }

  private static RangeDescriptor withReplicas(RangeDescriptor range, ReplicaSet replicas) {
    return new RangeDescriptor(range.id(), range.interval(), range.epoch(), replicas);
  }

  private CompletableFuture<?> publish(RangeDirectory.Published published, ReplicaSet replicas) {
    return write(List.of(put(withReplicas(published.descriptor(), replicas))));
  }

  private CompletableFuture<?> publishRanges(Step.PublishRanges step) {
    List<Change> changes = new ArrayList<>();
    step.current().forEach(range -> changes.add(put(range)));
    RangeDirectory.NextNumber next = directory.nextNumber(step.range().store());
    if (!step.merged().isEmpty() && next.isDerived()) {
      changes.add(
          next.persistenceChange()); // otherwise a new range could get the number of a removed one
    }
    for (RangeId merged : step.merged()) {
      RangeDirectory.Published before = directory.ranges().get(merged);
      if (before != null) {
        changes.add(Change.remove(RangeDirectory.key(merged), before.version()));
      }
    }
    return write(changes);
  }

  /**
   * Returns the write that publishes the current range, with a newer epoch than the published one.
   */
  private Change put(RangeDescriptor range) {
    RangeDirectory.Published before = directory.ranges().get(range.id());
    long replicas = before == null ? 0 : before.descriptor().epoch().replicas();
    RangeEpoch next =
        new RangeEpoch(range.epoch().version(), Math.max(replicas, range.epoch().replicas()) + 1);
    RangeDescriptor updated =
        new RangeDescriptor(range.id(), range.interval(), next, range.replicas());
    return Change.put(
        RangeDirectory.key(range.id()),
        RangeDescriptorCodec.encode(updated),
        before == null ? Change.ABSENT : before.version());
  }

  /**
   * Allocates a range number, then orders the split. If the split fails, the number stays unused.
   */
  private CompletableFuture<byte[]> split(Step.Split split) {
    RangeDirectory.NextNumber next = directory.nextNumber(split.range().store());
    return write(List.of(next.allocationChange()))
        .thenCompose(
            allocated ->
                send(
                    split.leader(),
                    new PlacementOrder.Split(
                        split.range(), split.epochVersion(), split.key(), next.number())));
  }

  /** Fails if another write has changed one of the records in the meantime. */
  private CompletableFuture<?> write(List<Change> changes) {
    return membership
        .write(changes)
        .thenCompose(
            result ->
                result instanceof WriteResult.Applied
                    ? CompletableFuture.completedFuture(result)
                    : CompletableFuture.failedFuture(
                        new IllegalStateException("a metadata record was changed concurrently")));
  }
}
