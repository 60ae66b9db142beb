/**
 * Streams between nodes. The sending end has an ordered, numbered and bounded stream to each other
 * node and resends items until they are acknowledged; the receiving end drops duplicates (decision
 * 0022).
 *
 * <p>Start reading at {@link io.fjordmq.broker.nodes.NodeStreams} (the sending end) and {@link
 * io.fjordmq.broker.nodes.NodeReceiver} (the receiving end); {@link
 * io.fjordmq.broker.nodes.NodeItem} lists the items.
 *
 * <p>The package must not depend on how sessions handle items.
 */
@NullMarked
package io.fjordmq.broker.nodes;

import org.jspecify.annotations.NullMarked;
