package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.PublishId;
import io.netty.channel.EventLoop;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The packet identifiers of the client's QoS 2 publishes between PUBLISH and PUBREL (MQTT 5.0
 * §4.3.3, method B).
 *
 * <pre>
 *   PUBLISH -> RECEIVED -> (published) -> PUBREC, AWAITING_PUBREL -> PUBREL -> RELEASING -> PUBCOMP
 * </pre>
 *
 * <p>In a persistent session, every step that a client could repeat after a lost connection is
 * durable before the client gets the response: the identifier is recorded before the message is
 * distributed, and removed before the PUBCOMP is sent. A publish whose outcome was lost with the
 * connection is distributed again with the same {@link PublishId}, so inboxes store it only once.
 * In a transient session, all state is kept in memory.
 */
final class ReceivedQos2 {
  /** The client that publishes. */
  interface Client extends ResultCallback.Receiver, StoreFailure.Client {
    EventLoop loop();

    Dialect dialect();

    PacketWriter writer();

    InboxStore inboxes();
  }

  /**
   * The result of {@link #begin} if the client has resent a PUBLISH that is in progress or
   * complete.
   */
  static final long REPEATED = -1;

  private static final int PUBREC = 0x50;
  private static final int PUBCOMP = 0x70;
  private static final int PACKET_IDENTIFIER_NOT_FOUND = 0x92;
  private static final int FIRST_ERROR = 0x80;

  /** A publish whose identifier the store records or removes. */
  interface Exchange {
    int packetIdentifier();

    /** The position among the client's QoS 2 publishes. */
    long sequence();

    /**
     * Called, on any thread, when the packet identifier is recorded, so that the message may be
     * published.
     */
    void onRecorded();

    /**
     * Called, on the event loop, when the store has removed the identifier and the response has
     * been written.
     */
    void onAcknowledged();
  }

  private enum State {
    /**
     * An earlier connection received the message; it is unknown whether the message was
     * distributed.
     */
    IN_DOUBT,
    RECEIVED,
    AWAITING_PUBREL,
    RELEASING
  }

  private static final class Receipt {
    private final long sequence;
    private State state;

    private Receipt(long sequence, State state) {
      this.sequence = sequence;
      this.state = state;
    }
  }

  private final Client client;
  private final @Nullable InboxHandle handle;
  // The receipts by packet identifier, in sequence order. The first one has the lowest sequence
  // that may be resent.
  private @Nullable Map<Integer, Receipt> receipts;
  private long nextSequence;
  private int inUse;

  /**
   * @param attachment the inbox attachment of a persistent session; null for a transient session
   */
  ReceivedQos2(Client client, @Nullable Attachment attachment) {
    this.client = client;
    this.handle = attachment == null ? null : attachment.handle();
    this.nextSequence = attachment == null ? 1 : attachment.nextPublishSequence();
    if (attachment != null && !attachment.receivedQos2().isEmpty()) {
      Map<Integer, Receipt> restored = new LinkedHashMap<>();
      attachment.receivedQos2().stream()
          .sorted(Comparator.comparingLong(Attachment.ReceivedPublish::publishSequence))
          .forEach(
              publish ->
                  restored.put(
                      publish.packetIdentifier(),
                      new Receipt(publish.publishSequence(), State.IN_DOUBT)));
      receipts = restored;
    }
  }

  /** The number of identifiers that this connection is using. */
  int inUse() {
    return inUse;
  }

  /** Whether identifiers are recorded in the store before their messages are distributed. */
  boolean isDurable() {
    return handle != null;
  }

  /** Whether a PUBLISH with this identifier is new rather than resent. */
  boolean isNew(int packetIdentifier) {
    return receipts == null || !receipts.containsKey(packetIdentifier);
  }

  /**
   * Handles a QoS 2 PUBLISH.
   *
   * @return the sequence of the publish if it must be distributed, otherwise {@link #REPEATED}
   */
  long begin(int packetIdentifier, PacketWriter out) {
    if (receipts == null) {
      receipts = new LinkedHashMap<>();
    }
    Receipt present = receipts.get(packetIdentifier);
    if (present == null) {
      Receipt fresh = new Receipt(nextSequence++, State.RECEIVED);
      receipts.put(packetIdentifier, fresh);
      inUse++;
      return fresh.sequence;
    }
    if (present.state == State.IN_DOUBT) {
      present.state = State.RECEIVED;
      inUse++;
      return present.sequence;
    }
    if (present.state == State.AWAITING_PUBREL) {
      client.dialect().writeReply(out, PUBREC, packetIdentifier, 0);
    }
    return REPEATED;
  }

  /**
   * Records the identifier, then calls {@link Exchange#onRecorded}. Must only be called if {@link
   * #isDurable}.
   */
  void record(Exchange entry) {
    InboxHandle inbox = handle;
    if (inbox == null) {
      throw new IllegalStateException("transient sessions do not record packet identifiers");
    }
    client
        .inboxes()
        .recordReceived(inbox, entry.packetIdentifier(), entry.sequence())
        .whenComplete(
            (done, error) -> {
              if (error == null) {
                entry.onRecorded();
              } else {
                client.loop().execute(() -> onStoreFailure(error));
              }
            });
  }

  /**
   * Returns the id by which inboxes detect a resent message. Must only be called if {@link
   * #isDurable}.
   */
  PublishId publishId(long sequence) {
    if (handle == null || receipts == null) {
      throw new IllegalStateException("publish ids exist only in persistent sessions");
    }
    long lowest = receipts.values().iterator().next().sequence;
    return PublishId.ofPublisher(handle, sequence, lowest);
  }

  /**
   * Handles a message that was distributed, or refused with a reason code of 0x80 or higher.
   *
   * @return false if the response must wait until {@link Exchange#onAcknowledged}
   */
  boolean onPublished(Exchange entry, int reasonCode) {
    int packetIdentifier = entry.packetIdentifier();
    Receipt receipt = receipts == null ? null : receipts.get(packetIdentifier);
    if (receipt == null) {
      throw new IllegalStateException(
          "no QoS 2 publish with packet identifier " + packetIdentifier);
    }
    if (reasonCode < FIRST_ERROR) {
      receipt.state = State.AWAITING_PUBREL;
      reply(PUBREC, packetIdentifier, reasonCode);
      return true;
    }
    // A PUBREC with an error ends the exchange. The identifier must be free before the client gets
    // that PUBREC; otherwise the next message with the same identifier would count as resent.
    receipt.state = State.RELEASING;
    removeIdentifier(
        packetIdentifier,
        () -> {
          reply(PUBREC, packetIdentifier, reasonCode);
          entry.onAcknowledged();
        });
    return false;
  }

  /**
   * Handles a PUBREL.
   *
   * @throws ProtocolViolation if the PUBREC that the PUBREL acknowledges has not been sent
   */
  void onPubRel(int packetIdentifier) {
    Receipt receipt = receipts == null ? null : receipts.get(packetIdentifier);
    if (receipt == null) {
      reply(PUBCOMP, packetIdentifier, PACKET_IDENTIFIER_NOT_FOUND);
      return;
    }
    if (receipt.state == State.RECEIVED) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR, "PUBREL " + packetIdentifier + " was sent before its PUBREC");
    }
    if (receipt.state == State.IN_DOUBT) {
      inUse++; // onIdentifierRemoved() decrements it
    }
    if (receipt.state != State.RELEASING) {
      receipt.state = State.RELEASING;
      removeIdentifier(packetIdentifier, () -> reply(PUBCOMP, packetIdentifier, 0));
    }
  }

  private void removeIdentifier(int packetIdentifier, Runnable then) {
    if (handle == null) {
      onIdentifierRemoved(packetIdentifier, then);
      return;
    }
    client.whenDoneUnlessEnded(
        client.inboxes().forgetReceived(handle, packetIdentifier),
        (done, error) -> {
          if (error == null) {
            onIdentifierRemoved(packetIdentifier, then);
            client.writer().flush();
          } else {
            onStoreFailure(error);
          }
        });
  }

  private void onIdentifierRemoved(int packetIdentifier, Runnable then) {
    if (receipts != null && receipts.remove(packetIdentifier) != null) {
      inUse--;
    }
    then.run();
  }

  private void reply(int firstByte, int packetIdentifier, int reasonCode) {
    client.dialect().writeReply(client.writer(), firstByte, packetIdentifier, reasonCode);
  }

  private void onStoreFailure(Throwable error) {
    StoreFailure.end(client, error, "recording a QoS 2 publish");
  }
}
