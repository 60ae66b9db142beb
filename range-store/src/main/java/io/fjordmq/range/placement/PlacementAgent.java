package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.RangeStore;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the driver's orders on this node. Obeys only the newest driver and rejects orders
 * that arrive out of order. Thread-safe; does not block.
 */
public final class PlacementAgent implements PeerServices.Handler {
  /** Name of this service between nodes. */
  public static final String NAME = "placement";

  private static final byte[] EMPTY_RESPONSE = new byte[0];

  private final RangeStore store;
  private final LongSupplier metadataVersion;
  private final Supplier<Map<RangeId, RangeLoadReport>> loads;
  private final Consent consent;
  private long lastTerm;
  private long lastNumber;

  /** Decides whether this node may be given an empty replica now. */
  @FunctionalInterface
  public interface Consent {
    Consent ALWAYS = range -> null;

    /**
     * Returns why this node must not have an empty replica of the range now; null if it may. Called
     * on any thread; must not block.
     */
    @Nullable String refusal(RangeId range);
  }

  private PlacementAgent(
      RangeStore store,
      LongSupplier metadataVersion,
      Supplier<Map<RangeId, RangeLoadReport>> loads,
      Consent consent) {
    this.store = store;
    this.metadataVersion = metadataVersion;
    this.loads = loads;
    this.consent = consent;
  }

  /**
   * Registers the agent, so that this node carries out orders from now on.
   *
   * @param metadataVersion the metadata version that this node knows: it ignores nodes that were
   *     removed by then
   * @param loads load and split or merge requests of the ranges that this node leads
   * @param consent consulted before an empty replica is created
   */
  public static PlacementAgent serve(
      RangeStore store,
      PeerServices services,
      LongSupplier metadataVersion,
      Supplier<Map<RangeId, RangeLoadReport>> loads,
      Consent consent) {
    PlacementAgent agent = new PlacementAgent(store, metadataVersion, loads, consent);
    services.serve(NAME, agent);
    return agent;
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      return perform(PlacementOrder.decode(request));
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Carries out an order that the driver sent to this node. */
  CompletableFuture<byte[]> perform(PlacementOrder order) {
    if (!accept(order)) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "outdated placement order: this node has received a newer one, from the driver of "
                  + "term "
                  + lastTerm()));
    }
    PlacementOrder.Task task = order.task();
    if (task instanceof PlacementOrder.Ensure ensure) {
      return emptyResponseAfter(ensure(ensure.range()));
    } else if (task instanceof PlacementOrder.Change change) {
      return emptyResponseAfter(
          store.leaderOperations().changeReplicas(change.range(), change.from(), change.to()));
    } else if (task instanceof PlacementOrder.Transfer transfer) {
      return emptyResponseAfter(
          store.leaderOperations().transferLeadership(transfer.range(), transfer.target()));
    } else if (task instanceof PlacementOrder.Drop drop) {
      return emptyResponseAfter(store.localReplicas().drop(drop.range(), drop.asOfIndex()));
    } else if (task instanceof PlacementOrder.Forget forget) {
      return emptyResponseAfter(store.localReplicas().forget(forget.range()));
    } else if (task instanceof PlacementOrder.Split split) {
      return emptyResponseAfter(
          store
              .leaderOperations()
              .split(split.range(), split.epochVersion(), split.key(), split.newNumber()));
    } else if (task instanceof MergeOrder merge) {
      return emptyResponseAfter(merge.perform(store));
    }
    // Read the version before the replicas: the report must not be older than it.
    long known = metadataVersion.getAsLong();
    return CompletableFuture.completedFuture(RangeReports.of(store, known, loads.get()).encode());
  }

  private CompletableFuture<Void> ensure(RangeDescriptor range) {
    String refusal = consent.refusal(range.id());
    return refusal == null
        ? store.localReplicas().ensure(range)
        : CompletableFuture.failedFuture(new IllegalStateException(refusal));
  }

  private synchronized boolean accept(PlacementOrder order) {
    if (!order.isAfter(lastTerm, lastNumber)) {
      return false;
    }
    lastTerm = order.term();
    lastNumber = order.number();
    return true;
  }

  private synchronized long lastTerm() {
    return lastTerm;
  }

  private static CompletableFuture<byte[]> emptyResponseAfter(CompletableFuture<Void> task) {
    return task.thenApply(nothing -> EMPTY_RESPONSE);
  }
}
