package io.fjordmq.inbox;

import io.fjordmq.api.MessageCodec;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The rules for the end of sessions and the publication of wills, when connections start and end
 * and when time passes.
 */
final class SessionExpiry {
  /**
   * Interval at which a due will is announced until its publication is confirmed. Replicas must
   * agree on this value, so it is not configurable.
   */
  static final long WILL_REPEAT_MILLIS = 10_000;

  private SessionExpiry() {}

  /**
   * Handles the end of a connection (MQTT 5.0 §3.1.2.5, §3.1.2.11.2, §3.1.3.2.2).
   *
   * @param sentBelow the connection has sent no entry with this or a higher sequence
   * @param askedExpirySeconds expiry that the connection requested; a guest cannot shorten the
   *     expiry of the session
   * @param graceMillis minimum delay of the will, because the node ended the connection and not the
   *     client. A session that ends with its connection is kept for this time, together with its
   *     will
   */
  static void detach(
      InboxTables tables,
      Inbox inbox,
      long sentBelow,
      long askedExpirySeconds,
      boolean publishWill,
      long graceMillis) {
    InboxState state = inbox.state();
    long expirySeconds =
        state.guest() ? Math.max(state.expirySeconds(), askedExpirySeconds) : askedExpirySeconds;
    long now = tables.nowMillis();
    byte[] will = publishWill ? state.will() : null;
    long graceEnd = will == null ? now : now + graceMillis;
    long expiresAt =
        expirySeconds == AttachRequest.NEVER_EXPIRES
            ? InboxState.NEVER
            : expirySeconds == 0 ? graceEnd : now + expirySeconds * 1000;
    long willDueAt =
        will == null
            ? InboxState.NEVER
            : Math.min(expiresAt, Math.max(graceEnd, now + delaySeconds(will) * 1000));
    tables.saveState(
        inbox,
        new InboxState(
            state.handle(),
            null,
            Math.max(state.sentBelow(), Math.min(sentBelow, inbox.cursor.next)),
            expirySeconds,
            state.limits(),
            will,
            willDueAt,
            expiresAt,
            state.user(),
            false));
    settle(tables, inbox);
  }

  /**
   * Applies everything that is due to a detached inbox: publishes its will, ends its session.
   *
   * @return true if the session has ended and the inbox was removed
   */
  static boolean settle(InboxTables tables, Inbox inbox) {
    if (inbox.state().willDueAtMillis() <= tables.nowMillis()) {
      publishWill(tables, inbox);
    }
    if (inbox.state().expiresAtMillis() > tables.nowMillis()) {
      return false;
    }
    long incarnation = inbox.incarnation();
    boolean expired = inbox.state().expirySeconds() > 0; // else it ended with its connection
    List<InboxSubscription> subscriptions = tables.remove(inbox);
    tables.emit(new InboxEffect.Ended(inbox.id, incarnation, subscriptions, expired));
    return true;
  }

  /**
   * Handles a new connection, or the discard of the session, while the inbox is still attached or
   * its will is still delayed. A delayed will is cancelled if the session continues (MQTT 5.0
   * §3.1.3.2.2) and is due now if the session ends (§3.1.2.5). The will of an attached inbox
   * without a will delay is due in any case.
   *
   * <p>A session that has ended with its connection and is kept only for the grace period of its
   * will ends now, and the will is discarded because the client is back.
   *
   * @return true if the session ends
   */
  static boolean takeOver(InboxTables tables, Inbox inbox, boolean sessionEnds) {
    InboxState state = inbox.state();
    Owner owner = state.owner();
    if (owner == null && state.expirySeconds() == 0) {
      return true;
    }
    if (owner != null) {
      tables.emit(new InboxEffect.Fenced(owner.node(), state.handle()));
    }
    byte[] will = state.will();
    if (will != null && (sessionEnds || (owner != null && delaySeconds(will) == 0))) {
      publishWill(tables, inbox);
    }
    return sessionEnds;
  }

  /** Makes the will due. From now on it is independent of the session. */
  private static void publishWill(InboxTables tables, Inbox inbox) {
    InboxState state = inbox.state();
    byte[] will = state.will();
    if (will == null) {
      return;
    }
    DueWill due = new DueWill(inbox.id, tables.connectOrderBefore(), will);
    long epoch = state.handle().epoch();
    tables.rows().put(InboxKeys.will(inbox.bucket, inbox.incarnation(), epoch), due.encode());
    announceLater(tables, inbox.bucket, inbox.incarnation(), epoch);
    tables.emit(dueEffect(tables, due, inbox.bucket, inbox.incarnation(), epoch));
    tables.saveState(inbox, state.withoutWill());
  }

  /** Announces a due will again, unless its publication has been confirmed. */
  static void repeatWill(InboxTables tables, int bucket, long incarnation, long epoch) {
    byte[] row = tables.rows().get(InboxKeys.will(bucket, incarnation, epoch));
    if (row != null) {
      tables.emit(dueEffect(tables, DueWill.decode(row), bucket, incarnation, epoch));
      announceLater(tables, bucket, incarnation, epoch);
    }
  }

  private static InboxEffect dueEffect(
      InboxTables tables, DueWill due, int bucket, long incarnation, long epoch) {
    long[] lowest = {epoch};
    tables
        .rows()
        .scan(
            InboxKeys.will(bucket, incarnation, 0),
            InboxKeys.will(bucket, incarnation, epoch),
            (key, value) -> {
              lowest[0] = InboxKeys.epochOfWill(key);
              return false;
            });
    return due.toEffect(incarnation, epoch, lowest[0]);
  }

  private static void announceLater(InboxTables tables, int bucket, long incarnation, long epoch) {
    long at = tables.nowMillis() + WILL_REPEAT_MILLIS;
    tables.putDue(bucket, at, InboxKeys.dueWill(bucket, at, incarnation, epoch));
  }

  private static long delaySeconds(byte[] will) {
    return MessageCodec.decodeWill(ByteBuffer.wrap(will)).delaySeconds();
  }
}
