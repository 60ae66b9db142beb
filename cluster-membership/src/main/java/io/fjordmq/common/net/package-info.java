/**
 * What the listeners, the connections between nodes and the load tool's clients share on Netty:
 * {@link io.fjordmq.common.net.EventLoops}.
 */
@NullMarked
package io.fjordmq.common.net;

import org.jspecify.annotations.NullMarked;
