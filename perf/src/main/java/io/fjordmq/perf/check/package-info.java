/**
 * Checks which of the numbered messages were lost, duplicated, delivered out of order, or delivered
 * to the wrong subscriber. Start at {@link io.fjordmq.perf.check.Ledger}; {@link
 * io.fjordmq.perf.check.SequenceTracker} tracks the messages from one publisher to one subscriber.
 * This package does not depend on clients, sockets or time.
 */
@NullMarked
package io.fjordmq.perf.check;

import org.jspecify.annotations.NullMarked;
