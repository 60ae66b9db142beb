package io.fjordmq.range.store;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.common.Timers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Clock and threads of a node's replicas; tests use simulated ones.
 *
 * @param clusterTimeMillis cluster time, stamped into entries; {@link
 *     io.fjordmq.cluster.membership.ClusterClock#UNKNOWN} while nothing may be proposed
 * @param level the cluster level, stamped into entries
 * @param timers for checkpoints and reopening
 * @param queries runs queries, which read the disk; may throw {@link
 *     java.util.concurrent.RejectedExecutionException} when too many are waiting
 * @param maxQueryWait maximum time that a query waits for confirmation and for a thread. A query
 *     that has waited for longer is not run: its client has sent it again or has given up. Best
 *     equals the attempt timeout of the clients
 * @param supervisor opens, closes and checkpoints replicas; one task at a time; may block
 * @param openers opens the existing replicas at startup, several at a time; may block
 * @param background runs long reads that can wait, one at a time; may block
 */
public record RangeRuntime(
    LongSupplier clusterTimeMillis,
    ClusterLevel level,
    Timers timers,
    Executor queries,
    Duration maxQueryWait,
    Executor supervisor,
    Executor openers,
    Executor background) {
  static final Duration DEFAULT_MAX_QUERY_WAIT = Duration.ofSeconds(5);

  /**
   * Creates a runtime that reads in the background with the threads of queries, and on which
   * queries wait for at most five seconds.
   */
  public RangeRuntime(
      LongSupplier clusterTimeMillis,
      ClusterLevel level,
      Timers timers,
      Executor queries,
      Executor supervisor,
      Executor openers) {
    this(
        clusterTimeMillis,
        level,
        timers,
        queries,
        DEFAULT_MAX_QUERY_WAIT,
        supervisor,
        openers,
        queries);
  }

  /** Creates a runtime with a clock that always knows the time, and the first level. */
  public RangeRuntime(
      InstantSource clock, Timers timers, Executor queries, Executor supervisor, Executor openers) {
    this(clock::millis, ClusterLevel.first(), timers, queries, supervisor, openers);
  }
}
