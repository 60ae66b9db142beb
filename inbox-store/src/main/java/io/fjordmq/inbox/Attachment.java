package io.fjordmq.inbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an attach found or made.
 *
 * @param handle to act with from now on
 * @param sessionPresent an inbox was there and was kept
 * @param subscriptions it has
 * @param discarded incarnation and subscriptions of the inbox that a clean start threw away, whose
 *     routes have to go; null if there was none
 * @param firstUndelivered lowest sequence that is not acknowledged; = nextSequence if none
 * @param nextSequence the next message gets; those from here on are pushed to {@link
 *     InboxListener#appended}
 * @param sentBelow entries with a lower sequence may have been sent on an earlier connection; the
 *     others have not been
 * @param released sequences (≥ firstUndelivered) whose PUBREC was recorded: PUBREL is owed, in this
 *     order
 * @param acknowledged sequences (> firstUndelivered) that are acknowledged, dropped or expired and
 *     not to be sent again; the lowest {@link #MAX_ACKNOWLEDGED} of them
 * @param receivedQos2 packet identifiers of QoS 2 publishes received from the client and not
 *     released yet, with the sequence each was given
 * @param nextPublishSequence the next QoS 2 publish of the client gets
 * @param claim the place of this CONNECT among those of the client
 * @param guest the session belongs to another user
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

  /** Most {@link #acknowledged} that are listed; a fetch leaves out those beyond as well. */
  public static final int MAX_ACKNOWLEDGED = 65_535;

  /**
   * More than it has beside its subscriptions when it travels between nodes: in each list no more
   * than there are packet identifiers, 11 bytes at most for each, and the names of the client.
   */
  public static final int BYTES_BESIDE_SUBSCRIPTIONS = 2 << 20;

  /** Of the session's own user, or a session of nobody. */
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

  Attachment asOtherUser() {
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

  /** An inbox that is no more. */
  public record Discarded(long incarnation, List<InboxSubscription> subscriptions) {}

  /** A QoS 2 publish of the client between PUBLISH and PUBREL. */
  public record ReceivedPublish(int packetIdentifier, long publishSequence) {}
}
