package io.fjordmq.broker.session;

import java.util.List;

/**
 * The state of a client that changes while it is connected.
 *
 * @param inflight QoS 1 and 2 messages that the client has not acknowledged
 * @param maxInflight maximum of {@code inflight}
 * @param queued messages that wait in memory; the QoS 1 and 2 messages of a persistent session wait
 *     in its inbox instead
 * @param queuedBytes size of their payloads in bytes
 * @param maxQueued maximum of {@code queued}
 * @param subscriptions number of subscriptions
 * @param maxSubscriptions maximum of {@code subscriptions}
 * @param awaitingPubRel QoS 2 publishes of the client that wait for a PUBREL
 * @param heldBackBy what holds the client back now: configuration keys of limits, or {@code
 *     overload}, {@code lease}, {@code authorization}, {@code client not reading}
 */
public record ClientState(
    int inflight,
    int maxInflight,
    int queued,
    int queuedBytes,
    int maxQueued,
    int subscriptions,
    int maxSubscriptions,
    int awaitingPubRel,
    List<String> heldBackBy) {}
