/**
 * What this node has to say to each other node: an ordered, numbered, bounded stream of items that
 * is repeated until it is answered, and its receiving end, which drops what it has (decision 0022).
 *
 * <p>Start at {@link io.fjordmq.broker.nodes.NodeStreams} (who sends) and {@link
 * io.fjordmq.broker.nodes.NodeReceiver} (who receives); {@link io.fjordmq.broker.nodes.NodeItem} is
 * what is said.
 *
 * <p>It must not know how sessions take what is said.
 */
@NullMarked
package io.fjordmq.broker.nodes;

import org.jspecify.annotations.NullMarked;
