package io.fjordmq.inbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of an attach.
 *
 * @param handle the handle for all further calls
 * @param sessionPresent true if an existing inbox was kept
 * @param subscriptions the subscriptions of the inbox
 * @param discarded incarnation and subscriptions of the inbox that a clean start discarded, whose
 *     routes must be removed; null if there was none
 * @param firstUndelivered lowest sequence that is not acknowledged; equals nextSequence if there is
 *     none
 * @param nextSequence sequence of the next message; messages from this one on are pushed to {@link
 *     InboxListener#onAppended}
 * @param sentBelow entries with a lower sequence may have been sent on an earlier connection; the
 *     others have not been
 * @param released sequences (≥ firstUndelivered) whose PUBREC was recorded; PUBREL is pending, in
 *     this order
 * @param acknowledged sequences (> firstUndelivered) that are acknowledged, dropped or expired and
 *     must not be sent again; the lowest {@link #MAX_ACKNOWLEDGED} of them
 * @param receivedQos2 packet identifiers and sequences of QoS 2 publishes that were received from
 *     the client and not released yet
 * @param nextPublishSequence sequence of the next QoS 2 publish of the client
 * @param connectOrder connect order of this CONNECT
 * @param guest true if the session belongs to another user
 */
public record Attachment(
    InboxHandle handle,
    boolean sessionPresent,
    List<InboxSubscription> subscriptions,
    @Nullable Discarded discarded,
    long firstUndelivered,
    long nextSequence,
    long sentBelow,
    List<Long> released,
    List<Long> acknowledged,
    List<ReceivedPublish> receivedQos2,
    long nextPublishSequence,
    ConnectOrder connectOrder,
    boolean guest) {

  /**
   * Maximum number of {@link #acknowledged} sequences; a fetch also omits those that are not
   * listed.
   */
  public static final int MAX_ACKNOWLEDGED = 65_535;

  /**
   * Upper bound of the encoded size, not counting subscriptions: each list has at most one element
   * per packet identifier and 11 bytes per element; the remainder is for the tenant and the client
   * identifier.
   */
  public static final int BYTES_BESIDE_SUBSCRIPTIONS = 2 << 20;

  /** Creates an attachment for the session's own user, or for a session without a user. */
  public Attachment(
      InboxHandle handle,
      boolean sessionPresent,
      List<InboxSubscription> subscriptions,
      @Nullable Discarded discarded,
      long firstUndelivered,
      long nextSequence,
      long sentBelow,
      List<Long> released,
      List<Long> acknowledged,
      List<ReceivedPublish> receivedQos2,
      long nextPublishSequence,
      ConnectOrder connectOrder) {
    this(
        handle,
        sessionPresent,
        subscriptions,
        discarded,
        firstUndelivered,
        nextSequence,
        sentBelow,
        released,
        acknowledged,
        receivedQos2,
        nextPublishSequence,
        connectOrder,
        false);
  }

  Attachment asGuest() {
    return new Attachment(
        handle,
        sessionPresent,
        subscriptions,
        discarded,
        firstUndelivered,
        nextSequence,
        sentBelow,
        released,
        acknowledged,
        receivedQos2,
        nextPublishSequence,
        connectOrder,
        true);
  }

  /** An inbox that was discarded. */
  public record Discarded(long incarnation, List<InboxSubscription> subscriptions) {}

  /** A QoS 2 publish of the client between PUBLISH and PUBREL. */
  public record ReceivedPublish(int packetIdentifier, long publishSequence) {}
}
