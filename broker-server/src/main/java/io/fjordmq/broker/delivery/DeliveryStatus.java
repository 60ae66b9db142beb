package io.fjordmq.broker.delivery;

import io.fjordmq.broker.nodes.NodesStatus;

/**
 * Figures of this node's delivery, for gauges.
 *
 * @param filters ordinary filters with at least one live subscriber
 * @param heldRoutes routes of this node, its shares' members included
 * @param leftoverRoutes of them nobody needs any more and that could not be removed yet
 * @param waitingRemovals of routes, until others are done
 * @param cachedTopics topics whose local subscribers are cached
 * @param waitingCopies handed to event loops and not taken by sessions yet
 * @param waitingBytes payload of these
 * @param slowedPublishes whose answer waits for an event loop to catch up
 * @param shares whose turn is remembered
 * @param repeatingPublishers whose last messages are remembered
 * @param repeatableMessages remembered of all these publishers
 * @param nodes what waits for other nodes
 */
public record DeliveryStatus(
    int filters,
    int heldRoutes,
    int leftoverRoutes,
    int waitingRemovals,
    int cachedTopics,
    long waitingCopies,
    long waitingBytes,
    int slowedPublishes,
    int shares,
    int repeatingPublishers,
    int repeatableMessages,
    NodesStatus nodes) {}
