package io.fjordmq.inbox;

import io.fjordmq.api.MessageCodec;
import java.nio.ByteBuffer;
import java.util.List;

/** What becomes of a session and its will when connections come and go and time passes. */
final class SessionExpiry {
  /**
   * A due will is announced again after this time until it is known to be published. Replicas must
   * agree on it, so it is no setting.
   */
  static final long WILL_REPEAT_MILLIS = 10_000;

  private SessionExpiry() {}

  /**
   * The connection has ended (MQTT 5.0 §3.1.2.5, §3.1.2.11.2, §3.1.3.2.2).
   *
   * @param sentBelow it has sent no entry from this sequence on
   * @param askedExpirySeconds by the connection; a guest's may not end the session earlier
   * @param graceMillis the will is not due earlier, because it was the node that went, not the
   *     client. For so long a session that ends with its connection is kept with its will
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
   * Does to a detached inbox what time has brought: its will is due, its session is over.
   *
   * @return whether it is gone
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
   * Somebody else connects, or the session is thrown away, while a connection or a will delay of it
   * is still there. A will that waits for its delay is cancelled if the session goes on (MQTT 5.0
   * §3.1.3.2.2), and is due now if it does not (§3.1.2.5); without delay it is due in any case.
   *
   * <p>A session that has ended with its connection and is kept for the grace of its will ends now,
   * and the will is forgotten: the client is back.
   *
   * @return whether the session ends
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

  /** The will is no longer the session's: it is published whatever becomes of that. */
  private static void publishWill(InboxTables tables, Inbox inbox) {
    InboxState state = inbox.state();
    byte[] will = state.will();
    if (will == null) {
      return;
    }
    DueWill due = new DueWill(inbox.id, tables.beforeClaim(), will);
    long epoch = state.handle().epoch();
    tables.rows().put(InboxKeys.will(inbox.bucket, inbox.incarnation(), epoch), due.encode());
    announceLater(tables, inbox.bucket, inbox.incarnation(), epoch);
    tables.emit(dueEffect(tables, due, inbox.bucket, inbox.incarnation(), epoch));
    tables.saveState(inbox, state.withoutWill());
  }

  /** Announces a due will once more, unless it has been published meanwhile. */
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
