/**
 * Placement: which node holds which replica of which range, and the steps that lead there (decision
 * 0022).
 *
 * <p>Start at {@link io.fjordmq.range.placement.PlacementPlan}, a pure function from the observed
 * state ({@link io.fjordmq.range.placement.PlacementView}) to the next steps ({@link
 * io.fjordmq.range.placement.Step}). {@link io.fjordmq.range.placement.PlacementDriver} runs it at
 * the metadata leader, {@link io.fjordmq.range.placement.PlacementAgent} carries out the steps on
 * each node, and {@link io.fjordmq.range.placement.RangeDirectory} gives clients the published
 * result.
 *
 * <p>A range's Raft group is the source of truth for its replicas; the metadata only publishes what
 * the group has already agreed on.
 */
@NullMarked
package io.fjordmq.range.placement;

import org.jspecify.annotations.NullMarked;
