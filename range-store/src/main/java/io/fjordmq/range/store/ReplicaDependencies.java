package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.range.EffectListener;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.kv.Kv;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The dependencies of a replica besides its rows and its coprocessor.
 *
 * @param installDirectory where received snapshots are kept while they are installed
 * @param load belongs to the replica; the rest is shared
 */
record ReplicaDependencies(
    NodeId self,
    Kv kv,
    Path installDirectory,
    RangeStoreSettings settings,
    RangeRuntime runtime,
    RangeObserver observer,
    ReplicaLoad load,
    EffectListener effects,
    ConsensusHost host,
    RangeLifecycleListener rangeLifecycleListener,
    RebuildLimit rebuildLimit,
    SliceHashes sliceHashes,
    Consumer<RangeId> onHalted) {

  /** Receives notifications of replicas that an applied entry has created or removed. */
  interface RangeLifecycleListener {
    /**
     * @param lead whether this node should lead the range
     */
    void onRangeCreated(RangeDescriptor range, boolean lead);

    /**
     * Called when the range was merged into another one on this node, so that its replica must be
     * closed.
     */
    void onRangeAbsorbed(RangeId range);
  }
}
