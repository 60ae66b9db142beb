package io.fjordmq.inbox;

import io.fjordmq.api.Qos;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a copy of a message goes and how.
 *
 * @param id the inbox
 * @param incarnation it is meant for; a newer inbox of the same client does not get it
 * @param qos to deliver with: 1 or 2
 * @param retain the RETAIN flag to deliver with
 * @param subscriptionIdentifiers to deliver with
 * @param share {@code NAME/FILTER} of the subscription {@code $share/NAME/FILTER} it was chosen
 *     for; null if its client has subscribed for itself
 */
public record InboxTarget(
    InboxId id,
    long incarnation,
    Qos qos,
    boolean retain,
    List<Integer> subscriptionIdentifiers,
    @Nullable String share) {

  /** Of no share. */
  public InboxTarget(
      InboxId id,
      long incarnation,
      Qos qos,
      boolean retain,
      List<Integer> subscriptionIdentifiers) {
    this(id, incarnation, qos, retain, subscriptionIdentifiers, null);
  }
}
