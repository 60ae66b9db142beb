/**
 * Checks numbered messages: which were lost, duplicated, out of order, or delivered to the wrong
 * subscriber. Start at {@link io.fjordmq.perf.check.Ledger}; {@link io.fjordmq.perf.check.Stream}
 * is the sequence of one publisher at one subscriber. This package does not depend on clients,
 * sockets or time.
 */
@NullMarked
package io.fjordmq.perf.check;

import org.jspecify.annotations.NullMarked;
