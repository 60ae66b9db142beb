/**
 * Benchmarks implemented in Java, for what a scenario with a steady load cannot measure. Start at
 * {@link io.fjordmq.perf.benchmark.Benchmarks}; each benchmark starts its brokers and reports its
 * results through {@link io.fjordmq.perf.benchmark.BenchmarkRun}.
 */
@NullMarked
package io.fjordmq.perf.benchmark;

import org.jspecify.annotations.NullMarked;
