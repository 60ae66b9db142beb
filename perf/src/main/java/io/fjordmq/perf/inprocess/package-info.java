/**
 * A broker in this process with clients that need no sockets, to measure the broker's code between
 * a connection and its stores without the network. Start at {@link
 * io.fjordmq.perf.inprocess.InProcessBroker}.
 */
@NullMarked
package io.fjordmq.perf.inprocess;

import org.jspecify.annotations.NullMarked;
