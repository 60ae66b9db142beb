/**
 * Microbenchmarks of hot code with JMH; {@link io.fjordmq.perf.micro.MicroBenchmark} lists them,
 * {@code bin/perf.sh micro} runs them.
 *
 * <p>Each uses the public API that is closest to the hot code, so that the hot code stays private:
 * packets go through a node in this process whose clients have no sockets, commands through the
 * real range engine on RocksDB with a log that commits at once ({@link
 * io.fjordmq.perf.micro.LocalStore}). The class of each benchmark says what else its figure
 * includes.
 */
@NullMarked
package io.fjordmq.perf.micro;

import org.jspecify.annotations.NullMarked;
