/**
 * Measures the load of ranges and decides when to split or merge them (decision 0026).
 *
 * <p>Start at {@link io.fjordmq.range.load.LoadSplitStrategy}, a pure function that decides from a
 * range's load whether to split it. {@link io.fjordmq.range.load.RangeMeter} measures the load.
 * {@link io.fjordmq.range.load.SplitPlanner} enforces the rules for every strategy: one change at a
 * time, pauses between changes, a maximum number of ranges. {@code SplitMonitor} in {@code
 * range.placement} calls it, and {@code range.store} performs the split.
 */
@NullMarked
package io.fjordmq.range.load;

import org.jspecify.annotations.NullMarked;
