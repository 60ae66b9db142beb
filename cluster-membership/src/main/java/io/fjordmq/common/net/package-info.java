/**
 * Netty extensions for the listeners, the connections between nodes, and the load tool: {@link
 * io.fjordmq.common.net.EventLoops}, {@link io.fjordmq.common.net.SocketTransport}.
 */
@NullMarked
package io.fjordmq.common.net;

import org.jspecify.annotations.NullMarked;
