package io.fjordmq.broker.delivery;

import io.fjordmq.broker.nodes.NodesStatus;

/**
 * The state of this node's delivery, for gauges.
 *
 * @param filters ordinary filters with at least one live subscriber
 * @param heldRoutes routes of this node, including those of its share members
 * @param failedRouteRemovals unused routes that could not be removed so far
 * @param waitingRemovals queued route removals
 * @param cachedTopics topics whose local subscribers are cached
 * @param waitingCopies copies handed to event loops but not yet delivered to sessions
 * @param waitingBytes payload bytes of those copies
 * @param delayedPublishes publishes whose acknowledgement is delayed until an event loop catches up
 * @param shares shares whose position in the rotation is remembered
 * @param repeatingPublishers publishers whose latest messages are remembered
 * @param repeatableMessages messages remembered for all of those publishers
 * @param nodes the streams to other nodes
 */
public record DeliveryStatus(
    int filters,
    int heldRoutes,
    int failedRouteRemovals,
    int waitingRemovals,
    int cachedTopics,
    long waitingCopies,
    long waitingBytes,
    int delayedPublishes,
    int shares,
    int repeatingPublishers,
    int repeatableMessages,
    NodesStatus nodes) {}
