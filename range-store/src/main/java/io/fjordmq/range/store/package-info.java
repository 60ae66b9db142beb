/**
 * The replicas of ranges on one node.
 *
 * <p>Start at {@link io.fjordmq.range.store.RangeStore} (all of them), then {@link
 * io.fjordmq.range.store.RangeReplica} (one) and {@link io.fjordmq.range.store.ApplyLoop} (what
 * happens to a committed entry). Knows neither how clients find and retry nor what commands mean.
 */
@NullMarked
package io.fjordmq.range.store;

import org.jspecify.annotations.NullMarked;
