package io.fjordmq.broker.session;

import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.inbox.Attachment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an attached session, each of which handles one kind of packet exchange. Only used on
 * the event loop.
 *
 * @param inbound handles publishes from the client
 * @param outbound sends messages to the client
 * @param subscriptions handles SUBSCRIBE and UNSUBSCRIBE
 * @param replay sends retained messages for new subscriptions
 */
record SessionParts(
    InboundPublishes inbound,
    OutboundPublishes outbound,
    Subscriptions subscriptions,
    RetainedReplay replay) {

  /**
   * @param attachment the inbox attachment of a persistent session; null for a transient session
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

  /** The inbox source of a persistent session; null if the session is transient. */
  @Nullable InboxSource inbox() {
    return outbound.inbox();
  }

  /** Sends waiting messages to the client. The caller flushes. */
  void resume() {
    outbound.pump();
    replay.resume();
  }

  /** Commits acknowledgements and redistributes messages of shares after the session has ended. */
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
