package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import java.util.List;

/**
 * One undelivered message of an inbox.
 *
 * @param sequence its position, from 1 without gaps; the packet identifier is derived from it
 * @param message as published
 * @param qos to deliver with: 1 or 2
 * @param retain the RETAIN flag to deliver with
 * @param subscriptionIdentifiers of the subscriptions that matched; may be empty
 */
public record InboxEntry(
    long sequence,
    Message message,
    Qos qos,
    boolean retain,
    List<Integer> subscriptionIdentifiers) {}
