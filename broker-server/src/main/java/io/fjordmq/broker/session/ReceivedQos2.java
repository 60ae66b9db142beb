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
 * durable before the client gets its response: the identifier before the message is distributed,
 * and its removal before PUBCOMP. A publish whose outcome was lost with the connection is
 * distributed again under the same {@link PublishId}, so inboxes store it only once. For a
 * transient session all state is in memory.
 */
final class ReceivedQos2 {
  /** The client that publishes. */
  interface Client extends ResultCallback.Receiver, StoreFailure.Client {
    EventLoop loop();

    Dialect dialect();

    PacketWriter writer();

    InboxStore inboxes();
  }

  /** Result of {@link #begin}: the client repeated a PUBLISH that is in progress or complete. */
  static final long REPEATED = -1;

  private static final int PUBREC = 0x50;
  private static final int PUBCOMP = 0x70;
  private static final int PACKET_IDENTIFIER_NOT_FOUND = 0x92;
  private static final int FIRST_ERROR = 0x80;

  /** A publish whose identifier the store records or removes. */
  interface Exchange {
    int packetIdentifier();

    /** Position among the client's QoS 2 publishes. */
    long sequence();

    /** The packet identifier is recorded, so the message may be published. On any thread. */
    void onRecorded();

    /** The store has removed the identifier and the response is written. On the event loop. */
    void onAcknowledged();
  }

  private enum State {
    /** Received by an earlier connection; unknown whether it was distributed. */
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
  private final InboxStore store;
  // In sequence order: the first one is the lowest that may be repeated.
  private @Nullable Map<Integer, Receipt> receipts;
  private long nextSequence;
  private int inUse;

  /**
   * @param attachment of a persistent session; null if it is transient
   */
  ReceivedQos2(Client client, @Nullable Attachment attachment) {
    this.client = client;
    this.store = client.inboxes();
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

  /** Identifiers that this connection has in use. */
  int inUse() {
    return inUse;
  }

  /** True if identifiers are recorded in the store before their messages are distributed. */
  boolean isDurable() {
    return handle != null;
  }

  /** True if a PUBLISH with this identifier is not a repetition. */
  boolean isNew(int packetIdentifier) {
    return receipts == null || !receipts.containsKey(packetIdentifier);
  }

  /**
   * Handles a QoS 2 PUBLISH.
   *
   * @return its sequence if it is to be distributed, {@link #REPEATED} if not
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

  /** Records the identifier, then calls {@link Exchange#onRecorded}. Only if {@link #isDurable}. */
  void record(Exchange entry) {
    InboxHandle inbox = handle;
    if (inbox == null) {
      throw new IllegalStateException("transient sessions do not record packet identifiers");
    }
    store
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

  /** The id by which inboxes recognize a repeated message. Persistent sessions only. */
  PublishId publishId(long sequence) {
    if (handle == null || receipts == null) {
      throw new IllegalStateException("publish ids exist only in persistent sessions");
    }
    long lowest = receipts.values().iterator().next().sequence;
    return PublishId.ofPublisher(handle, sequence, lowest);
  }

  /**
   * The message was distributed, or refused with a reason code from 0x80.
   *
   * @return false if its response has to wait until {@link Exchange#onAcknowledged}
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
    // A PUBREC with an error ends the exchange. The identifier has to be free before the client
    // gets it, or the next message with that identifier would count as a repetition.
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
   * @throws ProtocolViolation if the PUBREC it acknowledges was not sent
   */
  void onPubRel(int packetIdentifier) {
    Receipt receipt = receipts == null ? null : receipts.get(packetIdentifier);
    if (receipt == null) {
      reply(PUBCOMP, packetIdentifier, PACKET_IDENTIFIER_NOT_FOUND);
      return;
    }
    if (receipt.state == State.RECEIVED) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR, "PUBREL " + packetIdentifier + " before its PUBREC");
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
        store.forgetReceived(handle, packetIdentifier),
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
