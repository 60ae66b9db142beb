package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The persistent sessions. Thread-safe; nothing here blocks. Futures complete when the change is on
 * stable storage at a majority of the range's replicas and applied at the leader; on a thread of
 * the store, which must not be blocked. They fail with {@link io.fjordmq.range.RangeException};
 * calls made with a handle that a later attach has fenced off complete with {@link
 * InboxFencedException}.
 */
public interface InboxStore {

  /**
   * Claims the inbox for a connection, making it if it is not there; cancels a pending will. If its
   * outcome stays unknown, it is given up: once the range answers again, the inbox is as after a
   * connection that broke at once.
   */
  CompletableFuture<Attachment> attach(InboxId id, AttachRequest request);

  /**
   * Gives the inbox back when the connection ends: expiry and will delay count from now. Everything
   * acknowledged so far must have been reported by {@link #commit} calls made before.
   *
   * @param sentBelow this connection has sent no entry from this sequence on
   * @param expirySeconds the session's expiry as last said by the client; 0 ends the session now
   * @param publishWill false after a normal DISCONNECT: the will is forgotten
   */
  CompletableFuture<Void> detach(
      InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill);

  /**
   * Gives the inbox back when it is this node that goes, not the client: as {@link #detach} of a
   * broken connection, but the will waits for some time for the client to come back anywhere.
   */
  CompletableFuture<Void> giveUp(InboxHandle handle, long sentBelow, long expirySeconds);

  /**
   * Ends a session without a connection acting for it, e.g. a clean start as a transient session.
   */
  CompletableFuture<DiscardResult> discard(InboxId id);

  /** Adds or replaces a subscription; completes with whether it was there before. */
  CompletableFuture<Boolean> subscribe(
      InboxHandle handle, TopicFilter filter, SubscriptionOptions options);

  /** Removes a subscription; completes with whether it was there. */
  CompletableFuture<Boolean> unsubscribe(InboxHandle handle, TopicFilter filter);

  /**
   * Appends one message to many inboxes. Completes with one outcome per target, in their order.
   *
   * @param targets not empty
   * @param id null if the publisher does not repeat it
   */
  CompletableFuture<List<InsertOutcome>> insert(
      Message message, List<InboxTarget> targets, @Nullable PublishId id);

  /** What became of one copy. */
  enum InsertOutcome {
    STORED,
    /** It was stored by an earlier call with the same {@link PublishId}. */
    DUPLICATE,
    /** There is no such inbox of that incarnation; its route is stale. */
    ABSENT,
    /** Stored; the oldest messages were dropped to make room. */
    STORED_DROPPING_OLDEST,
    /** The inbox is full and configured to refuse. */
    REFUSED_FULL
  }

  /**
   * Reads undelivered entries in order, beginning at a sequence. Entries that were acknowledged,
   * released or dropped are left out. Completes with an empty page if there is nothing left.
   */
  CompletableFuture<Page> fetch(
      InboxHandle handle, long fromSequence, int maxEntries, int maxBytes);

  /**
   * Some entries.
   *
   * @param entries ascending
   * @param nextSequence where to go on reading
   */
  record Page(List<InboxEntry> entries, long nextSequence) {}

  /**
   * Forgets delivered entries. Coalesced: cheap to call often. Refused by a busy range it is tried
   * again a bounded number of times, as is {@link #detach}.
   *
   * @param upTo every sequence below this is acknowledged
   * @param beyond single sequences ≥ upTo that are acknowledged too
   */
  CompletableFuture<Void> commit(InboxHandle handle, long upTo, List<Long> beyond);

  /**
   * Records that the client has a QoS 2 message (PUBREC): it is never sent again, PUBREL is owed
   * until committed.
   */
  CompletableFuture<Void> release(InboxHandle handle, long sequence);

  /**
   * Records a QoS 2 publish of the client before it is distributed.
   *
   * @param publishSequence given by the session: {@link Attachment#nextPublishSequence} and up
   */
  CompletableFuture<Void> recordReceived(
      InboxHandle handle, int packetIdentifier, long publishSequence);

  /** Records PUBREL for it: the packet identifier may be used again. */
  CompletableFuture<Void> forgetReceived(InboxHandle handle, int packetIdentifier);

  /** Says that a will announced by {@link InboxListener#willDue} has been published durably. */
  CompletableFuture<Void> willPublished(InboxId id, long incarnation, long epoch);

  /**
   * Goes on with the messages of shares that an ended session has left: forgets those that others
   * have by now, and reads the first ones that are left. Messages that expired, and those that
   * nobody else may have (MQTT-4.8.2-5), are dropped and counted on the way.
   *
   * @param given sequences that others have
   * @param maxMessages 0 to read none
   */
  CompletableFuture<LeftMessage.Page> takeLeft(
      InboxId id, long incarnation, List<Long> given, int maxMessages);

  /**
   * Whether this node leads the range of an inbox as far as it knows: another node may lead it by
   * now. Cheap.
   */
  boolean isLedHere(InboxId id);

  /** Figures for metrics. */
  InboxStoreStatus status();
}
