package io.fjordmq.broker.query;

import io.fjordmq.broker.limits.ClientIdBinding;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxState;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.StoredSession;
import org.jspecify.annotations.Nullable;

/**
 * A client or an offline session.
 *
 * @param node id of the node that the client is connected to; null if it is offline
 * @param live what the node says about the connected client; null if it is offline, or if the node
 *     did not respond
 * @param stored the persistent session; null if it is transient or could not be read
 */
public record ClientRow(
    InboxId id, @Nullable String node, @Nullable LiveClient live, @Nullable StoredSession stored) {

  /**
   * A persistent session, as far as operators need it. Times are in epoch milliseconds, and -1 if
   * there is none.
   *
   * @param userName the MQTT user name of the client that created the session; null if it had none
   * @param expirySeconds session expiry after the connection ends
   * @param disconnectedAtMillis when the client disconnected; -1 if it is connected, or if the
   *     session never expires
   * @param expiresAtMillis when the session of an offline client expires
   * @param willDueAtMillis when the will of an offline client is due
   * @param queued stored messages, without those that wait for PUBCOMP
   * @param queuedBytes their size
   * @param awaitingPubComp messages that wait for PUBCOMP
   * @param maxQueued maximum of {@code queued}
   * @param maxQueuedBytes maximum of {@code queuedBytes}
   * @param subscriptions number of subscriptions
   */
  public record Session(
      @Nullable String userName,
      long expirySeconds,
      boolean hasWill,
      long disconnectedAtMillis,
      long expiresAtMillis,
      long willDueAtMillis,
      long queued,
      long queuedBytes,
      long awaitingPubComp,
      long maxQueued,
      long maxQueuedBytes,
      long subscriptions) {
    static Session of(StoredSession stored) {
      return new Session(
          ClientIdBinding.userNameOf(stored.user()),
          stored.expirySeconds(),
          stored.hasWill(),
          stored.disconnectedAtMillis(),
          orNone(stored.expiresAtMillis()),
          orNone(stored.willDueAtMillis()),
          stored.queued(),
          stored.queuedBytes(),
          stored.awaitingPubComp(),
          stored.limits().maxMessages(),
          stored.limits().maxBytes(),
          stored.subscriptions());
    }

    private static long orNone(long millis) {
      return millis == InboxState.NEVER ? -1 : millis;
    }
  }

  public String tenant() {
    return id.tenant();
  }

  public String clientId() {
    return id.clientId();
  }

  /** Returns the connection; null if the client is offline, or if its node did not respond. */
  public @Nullable ClientConnection connection() {
    return live == null ? null : ClientConnection.of(live);
  }

  /** Returns the persistent session; null if it is transient or could not be read. */
  public @Nullable Session session() {
    return stored == null ? null : Session.of(stored);
  }

  static ClientRow of(String node, LiveClient live) {
    return new ClientRow(live.id(), node, live, null);
  }

  static ClientRow of(StoredSession stored) {
    return new ClientRow(stored.id(), null, null, stored);
  }

  SessionPosition position() {
    return SessionPosition.of(id);
  }

  /** Returns whether the client is connected. */
  public boolean connected() {
    return node != null;
  }

  /** Returns whether the client is connected and its session ends with the connection. */
  boolean isTransient() {
    return live != null && !live.attributes().persistent();
  }

  /** Returns when the session was created, in epoch milliseconds. */
  public long createdAtMillis() {
    if (stored != null) {
      return stored.createdAtMillis();
    }
    return live == null ? 0 : live.attributes().connectedAtMillis();
  }

  /** Combines two rows of the same client. The later of two connections wins. */
  static ClientRow combine(ClientRow one, ClientRow other) {
    boolean otherIsLater =
        one.live == null
            || (other.live != null
                && other.live.attributes().connectedAtMillis()
                    > one.live.attributes().connectedAtMillis());
    ClientRow connection = otherIsLater ? other : one;
    return new ClientRow(
        one.id, connection.node, connection.live, one.stored == null ? other.stored : one.stored);
  }

  ClientRow with(@Nullable StoredSession session) {
    return new ClientRow(id, node, live, session);
  }

  /** Returns the row as connected to this node, which has not described the client. */
  ClientRow connectedTo(String owner) {
    return new ClientRow(id, owner, null, stored);
  }
}
