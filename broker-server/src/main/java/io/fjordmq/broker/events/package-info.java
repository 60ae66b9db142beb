/**
 * The recent history of each client, for the question "why did this client ...?". Every node keeps
 * the last events of each client that it has seen recently in bounded memory ({@link
 * io.fjordmq.broker.events.ClientEventLog}). Sessions and delivery record events through {@link
 * io.fjordmq.broker.events.ClientHistory}; {@link io.fjordmq.broker.events.ClientEventQueries}
 * merges the events of all nodes.
 *
 * <p>Events are not replicated: they are lost when the node that recorded them stops.
 */
@NullMarked
package io.fjordmq.broker.events;

import org.jspecify.annotations.NullMarked;
