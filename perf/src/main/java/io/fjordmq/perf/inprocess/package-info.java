/**
 * A broker in this process and clients that need no sockets: what is measured with it is the
 * broker's code between a connection and its stores, and nothing of the network. Start at {@link
 * io.fjordmq.perf.inprocess.InProcessBroker}.
 */
@NullMarked
package io.fjordmq.perf.inprocess;

import org.jspecify.annotations.NullMarked;
