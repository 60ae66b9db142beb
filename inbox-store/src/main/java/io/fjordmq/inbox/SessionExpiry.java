package io.fjordmq.inbox;

import io.fjordmq.common.MessageCodec;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
   * @param requestedExpirySeconds expiry that the connection requested; a guest cannot shorten the
   *     expiry of the session
   * @param graceMillis minimum delay of the will, because the node ended the connection and not the
   *     client. A session that ends with its connection is kept for this time, together with its
   *     will
   * @param closesInMillis when the connection closes; expiry, will delay and grace begin then
   */
  static void detach(
      InboxRows inboxes,
      Inbox inbox,
      long sentBelow,
      long requestedExpirySeconds,
      boolean publishWill,
      long graceMillis,
      long closesInMillis) {
    InboxState state = inbox.state();
    long expirySeconds =
        state.guest()
            ? Math.max(state.expirySeconds(), requestedExpirySeconds)
            : requestedExpirySeconds;
    byte[] will = publishWill ? state.will() : null;
    long closesAt = inboxes.nowMillis() + closesInMillis;
    long expiresAt = expiresAt(expirySeconds, will, closesAt, graceMillis);
    inboxes.saveState(
        inbox,
        new InboxState(
            state.handle(),
            null,
            Math.max(state.sentBelow(), Math.min(sentBelow, inbox.cursor.next)),
            expirySeconds,
            state.limits(),
            will,
            Math.min(expiresAt, willDueAt(will, closesAt, graceMillis)),
            expiresAt,
            state.user(),
            false));
    applyDue(inboxes, inbox);
  }

  /**
   * Handles a node that rejoins after other nodes have detached an inbox whose client was still
   * connected to it. Expiry and will are deferred as if the inbox were detached only now; anything
   * that is already due stays due.
   */
  static void defer(InboxRows inboxes, Inbox inbox, long graceMillis, long closesInMillis) {
    if (applyDue(inboxes, inbox)) {
      return;
    }
    InboxState state = inbox.state();
    byte[] will = state.will();
    long closesAt = inboxes.nowMillis() + closesInMillis;
    long expiresAt =
        Math.max(
            state.expiresAtMillis(), expiresAt(state.expirySeconds(), will, closesAt, graceMillis));
    long willDueAt =
        Math.max(
            state.willDueAtMillis(), Math.min(expiresAt, willDueAt(will, closesAt, graceMillis)));
    inboxes.saveState(inbox, state.withDueTimes(willDueAt, expiresAt));
  }

  private static long expiresAt(
      long expirySeconds, byte @Nullable [] will, long closesAt, long graceMillis) {
    if (expirySeconds == AttachRequest.NEVER_EXPIRES) {
      return InboxState.NEVER;
    }
    return closesAt + (expirySeconds > 0 ? expirySeconds * 1000 : will == null ? 0 : graceMillis);
  }

  private static long willDueAt(byte @Nullable [] will, long closesAt, long graceMillis) {
    return will == null
        ? InboxState.NEVER
        : closesAt + Math.max(graceMillis, delaySeconds(will) * 1000);
  }

  /**
   * Applies everything that is due to a detached inbox: publishes its will, ends its session.
   *
   * @return true if the session has ended and the inbox was removed
   */
  static boolean applyDue(InboxRows inboxes, Inbox inbox) {
    if (inbox.state().willDueAtMillis() <= inboxes.nowMillis()) {
      publishWill(inboxes, inbox);
    }
    if (inbox.state().expiresAtMillis() > inboxes.nowMillis()) {
      return false;
    }
    long incarnation = inbox.incarnation();
    boolean expired = inbox.state().expirySeconds() > 0; // otherwise it ended with its connection
    List<InboxSubscription> subscriptions = inboxes.remove(inbox);
    inboxes.emit(new InboxEffect.SessionEnded(inbox.id, incarnation, subscriptions, expired));
    return true;
  }

  /**
   * Handles a new connection, or the discard of the session, while the inbox is still attached or
   * its will is still delayed. A delayed will is canceled if the session continues (MQTT 5.0
   * §3.1.3.2.2) and is due now if the session ends (§3.1.2.5). The will of an attached inbox
   * without a will delay is due in any case.
   *
   * <p>A session that has ended with its connection and is kept only for the grace period of its
   * will ends now, and the will is discarded because the client has reconnected.
   *
   * @return true if the session ends
   */
  static boolean takeOver(InboxRows inboxes, Inbox inbox, boolean sessionEnds) {
    InboxState state = inbox.state();
    Owner owner = state.owner();
    if (owner == null && state.expirySeconds() == 0) {
      return true;
    }
    if (owner != null) {
      inboxes.emit(new InboxEffect.Fenced(owner.node(), state.handle()));
    }
    byte[] will = state.will();
    if (will != null && (sessionEnds || (owner != null && delaySeconds(will) == 0))) {
      publishWill(inboxes, inbox);
    }
    return sessionEnds;
  }

  /** Makes the will due. From now on it is independent of the session. */
  private static void publishWill(InboxRows inboxes, Inbox inbox) {
    InboxState state = inbox.state();
    byte[] will = state.will();
    if (will == null) {
      return;
    }
    DueWillRow due = new DueWillRow(inbox.id, inboxes.connectOrderBeforeThis(), will);
    long epoch = state.handle().epoch();
    inboxes.rows().put(InboxKeys.will(inbox.bucket, inbox.incarnation(), epoch), due.encode());
    scheduleAnnouncement(inboxes, inbox.bucket, inbox.incarnation(), epoch);
    inboxes.emit(dueEffect(inboxes, due, inbox.bucket, inbox.incarnation(), epoch));
    inboxes.saveState(inbox, state.withoutWill());
  }

  /** Announces a due will again, unless its publication has been confirmed. */
  static void reannounceWill(InboxRows inboxes, int bucket, long incarnation, long epoch) {
    byte[] row = inboxes.rows().get(InboxKeys.will(bucket, incarnation, epoch));
    if (row != null) {
      inboxes.emit(dueEffect(inboxes, DueWillRow.decode(row), bucket, incarnation, epoch));
      scheduleAnnouncement(inboxes, bucket, incarnation, epoch);
    }
  }

  private static InboxEffect dueEffect(
      InboxRows inboxes, DueWillRow due, int bucket, long incarnation, long epoch) {
    long[] lowest = {epoch};
    inboxes
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

  private static void scheduleAnnouncement(
      InboxRows inboxes, int bucket, long incarnation, long epoch) {
    long at = inboxes.nowMillis() + WILL_REPEAT_MILLIS;
    inboxes.putDue(bucket, at, InboxKeys.dueWill(bucket, at, incarnation, epoch));
  }

  private static long delaySeconds(byte[] will) {
    return MessageCodec.decodeWill(ByteBuffer.wrap(will)).delaySeconds();
  }
}
