package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.RepeatedPublishes.LiveDeliveryState;
import io.fjordmq.broker.dispatch.ShareKey;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to deliver one message to a member of a share; keeps track of the members that could
 * not accept it. Used by one thread at a time: the thread that currently handles the message.
 */
final class ShareAttempt {
  /** The maximum number of full members to try before the message is left in its store. */
  private static final int MAX_FULL_MEMBERS = 8;

  private final ShareKey key;
  private final ShareMatch share;
  private final Message message;
  private final @Nullable PublishId id;
  private final @Nullable LiveDeliveryState live;
  private final @Nullable PublishJoin join;
  private final boolean kept;
  private int fullMembers;
  private Set<String> triedClients = Set.of();
  private Set<Receiver.Inbox> goneInboxes = Set.of();

  /**
   * @param id the id of the publish; non-null if the publisher may resend the message, in which
   *     case a duplicate goes to the same member again
   * @param live the state of the message on this node; non-null if {@code id} is
   * @param join the join that the publisher's acknowledgement waits for; null if no acknowledgement
   *     is pending
   */
  ShareAttempt(
      String tenant,
      ShareMatch share,
      Message message,
      @Nullable PublishId id,
      @Nullable LiveDeliveryState live,
      @Nullable PublishJoin join) {
    this(tenant, share, message, id, live, join, false);
  }

  private ShareAttempt(
      String tenant,
      ShareMatch share,
      Message message,
      @Nullable PublishId id,
      @Nullable LiveDeliveryState live,
      @Nullable PublishJoin join,
      boolean kept) {
    this.key = new ShareKey(tenant, share.shareName(), share.pattern());
    this.share = share;
    this.message = message;
    this.id = id;
    this.live = live;
    this.join = join;
    this.kept = kept;
  }

  /**
   * Creates an attempt for a message that a store keeps until a member has accepted it. The
   * acknowledgement also waits for members connected to this node.
   */
  static ShareAttempt ofStored(
      String tenant,
      ShareMatch share,
      Message message,
      @Nullable PublishId id,
      @Nullable LiveDeliveryState live,
      PublishJoin join) {
    return new ShareAttempt(tenant, share, message, id, live, join, true);
  }

  /** Whether a store keeps the message until a member has accepted it. */
  boolean isKept() {
    return kept;
  }

  /**
   * Excludes a member whose queue is full.
   *
   * @return false if the limit of full members has been reached, so that the message stays in its
   *     store
   */
  boolean excludeFull(String clientId) {
    exclude(clientId);
    fullMembers++;
    return !kept || fullMembers < MAX_FULL_MEMBERS;
  }

  /** Records that the stream or mailbox of a member is full. */
  void recordCongestedMember() {
    fullMembers++;
  }

  /**
   * Ends the attempt because no member accepts the message. If a store keeps the message and some
   * member was full, the message stays there for that member.
   */
  void endWithoutMember() {
    PublishJoin waiting = tryOpenPartForLocalMember();
    if (waiting != null) {
      waiting.closePart(
          staysStored() ? PublishOutcome.NOT_DURABLE : PublishOutcome.NO_MATCHING_SUBSCRIBERS);
    }
  }

  /** Whether the message stays in its store if no other member accepts it. */
  boolean staysStored() {
    return kept && fullMembers > 0;
  }

  /** Like {@link #tryOpenPart}, for a member that is connected to this node. */
  @Nullable PublishJoin tryOpenPartForLocalMember() {
    return kept ? tryOpenPart() : null;
  }

  /**
   * Opens another part of the join that the publisher's acknowledgement waits for. The caller must
   * close the part. Returns null if the acknowledgement has already been sent or none is pending.
   */
  @Nullable PublishJoin tryOpenPart() {
    return join != null && message.qos() != Qos.AT_MOST_ONCE && join.tryOpenPart() ? join : null;
  }

  /** Whether this is a duplicate of a message that was sent to a connected member. */
  boolean isRepeated() {
    return live != null && live.wasSent(key);
  }

  /** Records that the message has been sent to a connected member. */
  void recordLiveSend() {
    if (live != null) {
      live.recordSent(key);
    }
  }

  /** Records that the connected member did not accept the message. */
  void recordLiveRefusal() {
    if (live != null) {
      live.withdraw(key);
    }
  }

  ShareKey key() {
    return key;
  }

  ShareMatch share() {
    return share;
  }

  Message message() {
    return message;
  }

  @Nullable PublishId id() {
    return id;
  }

  boolean hasTried(Route member) {
    return triedClients.contains(ShareSelection.clientIdOf(member))
        || (member.receiver() instanceof Receiver.Inbox inbox && goneInboxes.contains(inbox));
  }

  /** Excludes a member that cannot accept the message. */
  void exclude(String clientId) {
    if (triedClients.isEmpty()) {
      triedClients = new HashSet<>();
    }
    triedClients.add(clientId);
  }

  /**
   * Excludes an inbox that no longer exists. Its client remains a candidate, because the client may
   * have a new session while the route of the old session is still waiting to be removed.
   */
  void exclude(Receiver.Inbox inbox) {
    if (goneInboxes.isEmpty()) {
      goneInboxes = new HashSet<>();
    }
    goneInboxes.add(inbox);
  }
}
