package io.fjordmq.inbox;

import io.fjordmq.api.Qos;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An inbox that a message is inserted into, and the options of its delivery.
 *
 * @param id the inbox
 * @param incarnation incarnation of the inbox; another incarnation does not receive the message
 * @param qos QoS of the delivery: 1 or 2
 * @param retain RETAIN flag of the delivery
 * @param subscriptionIdentifiers identifiers of the matching subscriptions
 * @param share {@code NAME/FILTER} of the shared subscription {@code $share/NAME/FILTER} that
 *     selected this inbox; null for a subscription that is not shared
 */
public record InboxTarget(
    InboxId id,
    long incarnation,
    Qos qos,
    boolean retain,
    List<Integer> subscriptionIdentifiers,
    @Nullable String share) {

  /** Creates a target without a share. */
  public InboxTarget(
      InboxId id,
      long incarnation,
      Qos qos,
      boolean retain,
      List<Integer> subscriptionIdentifiers) {
    this(id, incarnation, qos, retain, subscriptionIdentifiers, null);
  }
}
