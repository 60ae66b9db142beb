package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.range.EffectListener;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.kv.Kv;
import java.util.function.Consumer;

/**
 * The dependencies of a replica besides its rows and its coprocessor.
 *
 * @param load belongs to the replica; the rest is shared
 */
record ReplicaParts(
    NodeId self,
    Kv kv,
    RangeStoreSettings settings,
    RangeRuntime runtime,
    RangeObserver observer,
    ReplicaLoad load,
    EffectListener effects,
    ConsensusHost host,
    RangeLifecycleListener rangeLifecycleListener,
    RebuildLimit rebuildLimit,
    Consumer<RangeId> whenHalted) {

  /** Notified of replicas that an applied entry has created or removed. */
  interface RangeLifecycleListener {
    /**
     * @param lead whether this node should lead the range
     */
    void rangeCreated(RangeDescriptor range, boolean lead);

    /** The range was merged into another one here: its replica has to be closed. */
    void rangeAbsorbed(RangeId range);
  }
}
