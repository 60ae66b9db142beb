package io.fjordmq.broker.cluster;

import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.store.RangeStore;
import java.io.IOException;
import java.util.List;

/**
 * The contents with which the first node creates a cluster. All methods must have the same results
 * when they are called again, because a node that is stopped meanwhile repeats them. Used by the
 * thread that starts the node; blocks.
 */
public interface InitialContents {
  /** An empty cluster. */
  InitialContents EMPTY = new InitialContents() {};

  /** Returns the first ranges of a store. */
  default List<RangeDescriptor> ranges(StoreSpec spec, ReplicaSet members) throws IOException {
    return spec.initialRanges(members);
  }

  /** Loads the rows of the ranges, before the ranges exist. */
  default void load(RangeStore ranges) throws IOException {}

  /** Returns the metadata records, besides those of the ranges. */
  default List<Change> records() throws IOException {
    return List.of();
  }

  /** Called when the cluster has its contents, also if an earlier start created it. */
  default void onCreated() throws IOException {}
}
