/**
 * Streams between nodes: an ordered, numbered, bounded stream of items to each other node, which is
 * resent until it is acknowledged, and its receiving end, which drops duplicates (decision 0022).
 *
 * <p>Start at {@link io.fjordmq.broker.nodes.NodeStreams} (the sending end) and {@link
 * io.fjordmq.broker.nodes.NodeReceiver} (the receiving end); {@link
 * io.fjordmq.broker.nodes.NodeItem} lists the items.
 *
 * <p>It must not depend on how sessions handle items.
 */
@NullMarked
package io.fjordmq.broker.nodes;

import org.jspecify.annotations.NullMarked;
