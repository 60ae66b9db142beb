/**
 * Checks numbered messages: what was lost, came twice, out of order, or to the wrong subscriber.
 * Start at {@link io.fjordmq.perf.check.Ledger}; {@link io.fjordmq.perf.check.Stream} is one
 * publisher's sequence at one subscriber. Knows nothing of clients, sockets or time.
 */
@NullMarked
package io.fjordmq.perf.check;

import org.jspecify.annotations.NullMarked;
