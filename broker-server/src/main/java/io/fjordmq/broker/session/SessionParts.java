package io.fjordmq.broker.session;

import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.inbox.Attachment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an attached session, each for one kind of packet exchange. Event loop only.
 *
 * @param inbound the client's publishes
 * @param outbound messages to the client
 * @param subscriptions SUBSCRIBE and UNSUBSCRIBE
 * @param replay retained messages for new subscriptions
 */
record SessionParts(
    InboundPublishes inbound,
    OutboundPublishes outbound,
    Subscriptions subscriptions,
    RetainedReplay replay) {

  /**
   * @param attachment of a persistent session; null if it is transient
   */
  static SessionParts of(
      Connection connection, LiveSession session, @Nullable Attachment attachment) {
    OutboundPublishes outbound = new OutboundPublishes(connection, attachment);
    RetainedReplay replay = new RetainedReplay(connection, outbound, attachment);
    return new SessionParts(
        new InboundPublishes(connection, new ReceivedQos2(connection, attachment)),
        outbound,
        new Subscriptions(connection, session, attachment, replay),
        replay);
  }

  /** The source of a persistent session; null if the session is transient. */
  @Nullable InboxSource inbox() {
    return outbound.inbox();
  }

  /** Sends waiting messages to the client. The caller flushes. */
  void resume() {
    outbound.pump();
    replay.resume();
  }

  /** The session has ended: commits acknowledgements and redistributes messages of shares. */
  void end(SessionServices services, LiveSession session) {
    inbound.end();
    subscriptions.end();
    services.live().removeAll(session);
    List<Delivery> toRedistribute = outbound.end();
    if (!toRedistribute.isEmpty()) {
      services.publishRouter().redistribute(session, toRedistribute);
    }
  }
}
