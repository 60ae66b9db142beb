package io.fjordmq.broker.session;

import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.inbox.Attachment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an attached session, each of which handles one kind of packet exchange. Only used on
 * the event loop, except for the methods that return a part only if it exists, which other threads
 * may call to read numbers.
 *
 * <p>A transient session creates a part when it is first needed, because many clients are idle,
 * only publish or only subscribe. A persistent session creates all of them at once, because each
 * takes over some of the state of its inbox.
 */
final class SessionParts {
  private final Session session;
  private @Nullable InboundPublishes inbound;
  private @Nullable OutboundPublishes outbound;
  private @Nullable Subscriptions subscriptions;
  private @Nullable RetainedReplay replay;

  /**
   * @param attachment the inbox attachment of a persistent session; null for a transient session
   */
  SessionParts(Session session, @Nullable Attachment attachment) {
    this.session = session;
    if (attachment != null) {
      Connection connection = session.connection();
      OutboundPublishes sending = new OutboundPublishes(connection, attachment);
      RetainedReplay replaying = new RetainedReplay(connection, sending, attachment);
      inbound = new InboundPublishes(connection, new ReceivedQos2(connection, attachment));
      outbound = sending;
      subscriptions = new Subscriptions(connection, session, attachment, replaying);
      replay = replaying;
    }
  }

  /** Returns the part that handles publishes from the client. */
  InboundPublishes inbound() {
    InboundPublishes present = inbound;
    return present == null ? createInbound() : present;
  }

  private InboundPublishes createInbound() {
    Connection connection = session.connection();
    InboundPublishes created = new InboundPublishes(connection, new ReceivedQos2(connection, null));
    inbound = created;
    return created;
  }

  /** Returns the part that sends messages to the client. */
  OutboundPublishes outbound() {
    OutboundPublishes present = outbound;
    return present == null ? createOutbound() : present;
  }

  private OutboundPublishes createOutbound() {
    OutboundPublishes created = new OutboundPublishes(session.connection(), null);
    outbound = created;
    if (session.isOpen()) {
      created.start();
    }
    return created;
  }

  /** Returns the part that handles SUBSCRIBE and UNSUBSCRIBE. */
  Subscriptions subscriptions() {
    Subscriptions present = subscriptions;
    return present == null ? createSubscriptions() : present;
  }

  private Subscriptions createSubscriptions() {
    Connection connection = session.connection();
    RetainedReplay replaying = new RetainedReplay(connection, outbound(), null);
    Subscriptions created = new Subscriptions(connection, session, null, replaying);
    replay = replaying;
    subscriptions = created;
    return created;
  }

  /** Returns {@link #outbound} if it exists. */
  @Nullable OutboundPublishes existingOutbound() {
    return outbound;
  }

  /** The number of subscriptions. */
  int subscriptionCount() {
    Subscriptions present = subscriptions;
    return present == null ? 0 : present.count();
  }

  /** The number of QoS 2 publishes from the client whose PUBREL has not arrived. */
  int awaitingPubRel() {
    InboundPublishes present = inbound;
    return present == null ? 0 : present.awaitingPubRel();
  }

  /** The inbox source of a persistent session; null if the session is transient. */
  @Nullable InboxSource inbox() {
    return outbound == null ? null : outbound.inbox();
  }

  /** Starts to send messages. Called after the CONNACK. */
  void start() {
    if (outbound != null) {
      outbound.start();
    }
  }

  /** Called when all packets of a read have been handled. */
  void onReadComplete() {
    if (inbound != null) {
      inbound.onReadComplete();
    }
    if (!session.isEnded() && outbound != null && outbound.onReadComplete() && replay != null) {
      replay.resume();
    }
  }

  /** Sends messages that have been delivered. The caller flushes. */
  void pump() {
    if (outbound != null) {
      outbound.pump();
    }
  }

  /** Sends waiting messages to the client. The caller flushes. */
  void resume() {
    pump();
    if (replay != null) {
      replay.resume();
    }
  }

  /**
   * Commits acknowledgements and redistributes messages of shares after the session has ended.
   *
   * @return the exclusive upper bound of the inbox sequences that were sent
   */
  long end() {
    SessionServices services = session.connection().services();
    if (inbound != null) {
      inbound.end();
    }
    if (subscriptions != null) {
      subscriptions.end();
    }
    services.live().removeAll(session);
    if (outbound == null) {
      return 0;
    }
    List<Delivery> toRedistribute = outbound.end();
    if (!toRedistribute.isEmpty()) {
      services.publishRouter().redistribute(session, toRedistribute);
    }
    return outbound.window().sentBelow();
  }
}
