/**
 * Microbenchmarks of what is hot, on JMH; {@link io.fjordmq.perf.micro.MicroBenchmark} lists them,
 * {@code bin/perf.sh micro} starts them.
 *
 * <p>Each goes through the public door that is nearest to the hot code, as what is hot is nobody
 * else's business: packets through a node in this process whose clients have no sockets, stores
 * through the real range engine on RocksDB whose log commits at once ({@link
 * io.fjordmq.perf.micro.LocalStore}). What a figure contains beside its name stands at its class.
 */
@NullMarked
package io.fjordmq.perf.micro;

import org.jspecify.annotations.NullMarked;
