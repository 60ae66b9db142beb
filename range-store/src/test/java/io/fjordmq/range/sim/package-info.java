/**
 * The range engine without threads, network and disk.
 *
 * <p>{@link io.fjordmq.range.sim.LocalRanges} runs real stores of the dependent modules on one
 * node, synchronously, for their tests.
 */
@NullMarked
package io.fjordmq.range.sim;

import org.jspecify.annotations.NullMarked;
