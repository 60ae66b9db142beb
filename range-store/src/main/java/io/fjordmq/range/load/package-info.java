/**
 * How much each range has to do, and what shape the ranges should have because of it (decision
 * 0026).
 *
 * <p>Start at {@link io.fjordmq.range.load.LoadSplitStrategy}, a pure function from a range's load
 * to a split or not. {@link io.fjordmq.range.load.RangeMeter} measures the load, {@link
 * io.fjordmq.range.load.ShapePlan} keeps what no strategy may break: one change at a time, pauses,
 * a ceiling. How a split is done is the business of {@code range.store}; who asks, of {@code
 * range.placement}: {@code ShapeWatch}.
 */
@NullMarked
package io.fjordmq.range.load;

import org.jspecify.annotations.NullMarked;
