package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.delivery.RepeatedPublishes.LivePart;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One message of a share and the members that could not take it. Used by one thread at a time: the
 * one that has the message.
 */
final class ShareAttempt {
  /** Members without room that are tried for a message that may as well stay in its store. */
  private static final int MAX_WITHOUT_ROOM = 8;

  private final ShareKey key;
  private final ShareMatch share;
  private final Message message;
  private final @Nullable PublishId id;
  private final @Nullable LivePart live;
  private final @Nullable PublishJoin join;
  private final boolean awaitsMember;
  private int withoutRoom;
  private Set<String> tried = Set.of();
  private Set<Receiver.Inbox> gone = Set.of();

  /**
   * @param id set if the publisher may repeat the message: then it goes to the same member again
   * @param live what became of it earlier; set if id is
   * @param join who waits for the publisher's answer; null if nobody does
   */
  ShareAttempt(
      String tenant,
      ShareMatch share,
      Message message,
      @Nullable PublishId id,
      @Nullable LivePart live,
      @Nullable PublishJoin join) {
    this(tenant, share, message, id, live, join, false);
  }

  private ShareAttempt(
      String tenant,
      ShareMatch share,
      Message message,
      @Nullable PublishId id,
      @Nullable LivePart live,
      @Nullable PublishJoin join,
      boolean awaitsMember) {
    this.key = new ShareKey(tenant, share.shareName(), share.pattern());
    this.share = share;
    this.message = message;
    this.id = id;
    this.live = live;
    this.join = join;
    this.awaitsMember = awaitsMember;
  }

  /**
   * For a message that is kept in a store until a member has it: the answer waits for a member that
   * is connected to this node, too.
   */
  static ShareAttempt ofStored(
      String tenant,
      ShareMatch share,
      Message message,
      @Nullable PublishId id,
      @Nullable LivePart live,
      PublishJoin join) {
    return new ShareAttempt(tenant, share, message, id, live, join, true);
  }

  /** Whether a store keeps the message until a member has it. */
  boolean isKept() {
    return awaitsMember;
  }

  /**
   * This member has no room at the moment.
   *
   * @return false if so many had none that the message stays in its store
   */
  boolean excludeWithoutRoom(String clientId) {
    exclude(clientId);
    withoutRoom++;
    return !awaitsMember || withoutRoom < MAX_WITHOUT_ROOM;
  }

  /** The way to a member has no room at the moment. */
  void memberIsCongested() {
    withoutRoom++;
  }

  /** Nobody takes it. It stays in its store, if it has one, for a member that had no room. */
  void endWithoutMember() {
    PublishJoin waiting = tryWaitHere();
    if (waiting != null) {
      waiting.part(
          staysStored() ? PublishOutcome.NOT_DURABLE : PublishOutcome.NO_MATCHING_SUBSCRIBERS);
    }
  }

  /** Whether it stays in its store if no other member takes it. */
  boolean staysStored() {
    return awaitsMember && withoutRoom > 0;
  }

  /** The same as {@link #tryWait}, for a member that is connected to this node. */
  @Nullable PublishJoin tryWaitHere() {
    return awaitsMember ? tryWait() : null;
  }

  /**
   * The publisher's answer waits for one more part, to be closed by the caller; null if the answer
   * is given, or nobody waits.
   */
  @Nullable PublishJoin tryWait() {
    return join != null && message.qos() != Qos.AT_MOST_ONCE && join.tryOpen() ? join : null;
  }

  /** True if this is a repetition of what a connected member has been sent. */
  boolean isRepeated() {
    return live != null && live.hasServed(key);
  }

  /** A connected member has it, or will. */
  void sendLive() {
    if (live != null) {
      live.serve(key);
    }
  }

  /** The connected member did not take it. */
  void withdrawLive() {
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
    return tried.contains(ShareSelection.clientIdOf(member))
        || (member.receiver() instanceof Receiver.Inbox inbox && gone.contains(inbox));
  }

  /** This member cannot take it. */
  void exclude(String clientId) {
    if (tried.isEmpty()) {
      tried = new HashSet<>();
    }
    tried.add(clientId);
  }

  /**
   * This inbox does not exist any more. Its client stays a candidate: it may have begun a new
   * session, and the route of the old one may still wait for its removal.
   */
  void exclude(Receiver.Inbox inbox) {
    if (gone.isEmpty()) {
      gone = new HashSet<>();
    }
    gone.add(inbox);
  }
}
