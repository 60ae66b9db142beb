/**
 * Carries out a scenario: connects its clients, keeps their timetable in an open loop, has every
 * message checked ({@link io.fjordmq.perf.check}), and takes the broker's figures once a second.
 * Start at {@link io.fjordmq.perf.load.LoadRun}.
 *
 * <p>Threads: what belongs to a client is touched by its event loop only; a {@link
 * io.fjordmq.perf.load.Lane} holds what the clients of one loop count, in single-writer counters
 * that the thread of the run reads.
 */
@NullMarked
package io.fjordmq.perf.load;

import org.jspecify.annotations.NullMarked;
