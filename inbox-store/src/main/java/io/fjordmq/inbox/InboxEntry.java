package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import java.util.List;

/**
 * One undelivered message in an inbox.
 *
 * @param sequence its position, from 1 without gaps; the packet identifier is derived from it
 * @param message as published
 * @param qos QoS of the delivery: 1 or 2
 * @param retain RETAIN flag of the delivery
 * @param subscriptionIdentifiers identifiers of the matching subscriptions; may be empty
 */
public record InboxEntry(
    long sequence,
    Message message,
    Qos qos,
    boolean retain,
    List<Integer> subscriptionIdentifiers) {}
