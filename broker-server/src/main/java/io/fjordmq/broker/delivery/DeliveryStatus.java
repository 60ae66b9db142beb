package io.fjordmq.broker.delivery;

import io.fjordmq.broker.nodes.NodesStatus;

/**
 * The state of this node's delivery, for gauges.
 *
 * @param filters ordinary filters with at least one live subscriber
 * @param heldRoutes routes of this node, including those of its share members
 * @param unremovedRoutes unused routes whose removal has failed so far
 * @param waitingRemovals queued removals of routes
 * @param cachedTopics topics whose local subscribers are cached
 * @param waitingCopies copies handed to event loops and not delivered to sessions yet
 * @param waitingBytes payload bytes of these copies
 * @param delayedPublishes publishes whose acknowledgement waits for an event loop to catch up
 * @param shares shares whose position in the rotation is remembered
 * @param repeatingPublishers publishers whose latest messages are remembered
 * @param repeatableMessages messages remembered of all these publishers
 * @param nodes the streams to other nodes
 */
public record DeliveryStatus(
    int filters,
    int heldRoutes,
    int unremovedRoutes,
    int waitingRemovals,
    int cachedTopics,
    long waitingCopies,
    long waitingBytes,
    int delayedPublishes,
    int shares,
    int repeatingPublishers,
    int repeatableMessages,
    NodesStatus nodes) {}
