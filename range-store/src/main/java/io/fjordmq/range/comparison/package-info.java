/**
 * Comparison of the replicas of a range, to detect that they have diverged (decision 0102).
 *
 * <p>Start at {@link io.fjordmq.range.comparison.ReplicaComparisons}, which runs on every node and
 * compares the ranges that the node leads, one slice at a time ({@link
 * io.fjordmq.range.comparison.SliceComparison}). The replicas hash their rows in {@link
 * io.fjordmq.range.store.SliceHashes}.
 *
 * <p>This package only reports differences. It neither halts nor repairs replicas.
 */
@NullMarked
package io.fjordmq.range.comparison;

import org.jspecify.annotations.NullMarked;
