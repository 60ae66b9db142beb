/**
 * Benchmarks of ranges on nodes started for the purpose: throughput with one to sixteen ranges and
 * with automatic splits ({@link io.fjordmq.perf.ranges.Throughput}), and the cost of idle ranges
 * ({@link io.fjordmq.perf.ranges.IdleRanges}).
 */
@NullMarked
package io.fjordmq.perf.ranges;

import org.jspecify.annotations.NullMarked;
