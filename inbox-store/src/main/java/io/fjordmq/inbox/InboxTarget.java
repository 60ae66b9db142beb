package io.fjordmq.inbox;

import io.fjordmq.api.Qos;
import java.util.List;

/**
 * Where a copy of a message goes and how.
 *
 * @param id the inbox
 * @param incarnation it is meant for; a newer inbox of the same client does not get it
 * @param qos to deliver with: 1 or 2
 * @param retain the RETAIN flag to deliver with
 * @param subscriptionIdentifiers to deliver with
 */
public record InboxTarget(
    InboxId id, long incarnation, Qos qos, boolean retain, List<Integer> subscriptionIdentifiers) {}
