/**
 * A broker in this process, and clients without sockets. Benchmarks use them to measure the
 * broker's code without the network. Start at {@link io.fjordmq.perf.inprocess.InProcessBroker}.
 */
@NullMarked
package io.fjordmq.perf.inprocess;

import org.jspecify.annotations.NullMarked;
