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
 * What a replica is made of besides its rows and its code.
 *
 * @param load its own; the rest is shared with others
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
    Births births,
    RebuildLimit rebuildLimit,
    Consumer<RangeId> whenHalted) {

  /** Hears of replicas that another one has brought about or has made an end of. */
  interface Births {
    /**
     * @param lead whether this node should lead it
     */
    void born(RangeDescriptor range, boolean lead);

    /** The range is part of another one here: its replica is to be closed. */
    void absorbed(RangeId range);
  }
}
