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
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Has steps done by the nodes and by the metadata. Thread-safe; does not block. */
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

  /** Completes when it is done, or fails with why it is not, or may not be. */
  CompletableFuture<?> run(Step step) {
    RangeDirectory.Published published = directory.ranges().get(step.range());
    if (published == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("range " + step.range() + " is not published any more"));
    }
    if (step instanceof Step.Publish publish) {
      return publish(published, publish.replicas());
    } else if (step instanceof Step.Ensure ensure) {
      RangeDescriptor told = with(published.descriptor(), ensure.members());
      return send(ensure.node(), new PlacementOrder.Ensure(told));
    } else if (step instanceof Step.Change change) {
      return change(change.leader(), change.range(), change.from(), change.to());
    } else if (step instanceof Step.Transfer transfer) {
      return send(
          transfer.leader(), new PlacementOrder.Transfer(transfer.range(), transfer.target()));
    } else if (step instanceof Step.Forget forget) {
      return send(forget.node(), new PlacementOrder.Forget(forget.range()));
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

  private static RangeDescriptor with(RangeDescriptor range, ReplicaSet replicas) {
    return new RangeDescriptor(range.id(), range.interval(), range.epoch(), replicas);
  }

  /** Whoever published something else meanwhile, that one counts. */
  private CompletableFuture<?> publish(RangeDirectory.Published published, ReplicaSet replicas) {
    RangeDescriptor before = published.descriptor();
    RangeEpoch next = new RangeEpoch(before.epoch().version(), before.epoch().replicas() + 1);
    RangeDescriptor after = new RangeDescriptor(before.id(), before.interval(), next, replicas);
    Change change =
        Change.put(
            RangeDirectory.key(before.id()),
            RangeDescriptorCodec.encode(after),
            published.version());
    return membership
        .write(List.of(change))
        .thenCompose(
            result ->
                result instanceof WriteResult.Applied
                    ? CompletableFuture.completedFuture(result)
                    : CompletableFuture.failedFuture(
                        new IllegalStateException("its record has changed meanwhile")));
  }
}
