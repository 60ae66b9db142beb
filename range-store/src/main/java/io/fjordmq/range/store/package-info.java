/**
 * The replicas of ranges on one node.
 *
 * <p>Start at {@link io.fjordmq.range.store.RangeStore} (all replicas), then {@link
 * io.fjordmq.range.store.RangeReplica} (one replica) and {@link io.fjordmq.range.store.ApplyLoop}
 * (what happens to a committed entry). This package does not depend on how clients find ranges and
 * retry, or on what commands mean.
 */
@NullMarked
package io.fjordmq.range.store;

import org.jspecify.annotations.NullMarked;
