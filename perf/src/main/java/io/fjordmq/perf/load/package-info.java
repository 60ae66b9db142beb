/**
 * Runs a scenario: connects its clients, publishes on schedule in an open loop, checks every
 * message ({@link io.fjordmq.perf.check}) and samples the broker every second. Start at {@link
 * io.fjordmq.perf.load.LoadRun}.
 *
 * <p>Threads: only the event loop of a client accesses the client's state. A {@link
 * io.fjordmq.perf.load.EventLoopLoad} holds the single-writer counters of one event loop, which the
 * thread of the run reads.
 */
@NullMarked
package io.fjordmq.perf.load;

import org.jspecify.annotations.NullMarked;
