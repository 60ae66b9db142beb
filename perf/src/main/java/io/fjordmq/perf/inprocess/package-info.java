/**
 * A broker in this process, and clients that need no sockets. They measure the broker's code
 * between connections and stores without the network. Start at {@link
 * io.fjordmq.perf.inprocess.InProcessBroker}.
 */
@NullMarked
package io.fjordmq.perf.inprocess;

import org.jspecify.annotations.NullMarked;
