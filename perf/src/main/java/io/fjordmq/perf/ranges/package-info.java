/**
 * What ranges bring and what they cost, on nodes started for it: throughput with one to sixteen
 * ranges and with as many as the node makes of itself ({@link io.fjordmq.perf.ranges.Throughput}),
 * and what a hundred of them take while nobody is there ({@link
 * io.fjordmq.perf.ranges.IdleRanges}).
 */
@NullMarked
package io.fjordmq.perf.ranges;

import org.jspecify.annotations.NullMarked;
