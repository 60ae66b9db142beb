/**
 * Who should hold which range, and how it comes to be (decision 0022).
 *
 * <p>Start at {@link io.fjordmq.range.placement.PlacementPlan}, a pure function from what is
 * ({@link io.fjordmq.range.placement.PlacementView}) to what to do next ({@link
 * io.fjordmq.range.placement.Step}). {@link io.fjordmq.range.placement.PlacementDriver} runs it at
 * the metadata leader, {@link io.fjordmq.range.placement.PlacementAgent} does the steps on each
 * node, {@link io.fjordmq.range.placement.RangeDirectory} tells clients what has become of it.
 *
 * <p>The truth about a range's replicas is its Raft group; what the metadata say is published after
 * it.
 */
@NullMarked
package io.fjordmq.range.placement;

import org.jspecify.annotations.NullMarked;
