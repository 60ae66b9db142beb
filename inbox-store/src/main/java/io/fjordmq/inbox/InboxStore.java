package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Stores persistent sessions. Thread-safe; no method blocks. A future completes when the change is
 * durable on a majority of the range's replicas and applied by the leader. It completes on a thread
 * of the store, which must not be blocked. Futures fail with {@link
 * io.fjordmq.range.RangeException}, or with {@link InboxFencedException} if a later attach has
 * fenced the handle.
 */
public interface InboxStore {

  /**
   * Attaches the inbox to a connection, creates the inbox if it does not exist, and cancels a
   * pending will. If the outcome remains unknown, the store detaches the inbox once the range
   * responds again, as if the connection had been lost immediately.
   */
  CompletableFuture<Attachment> attach(InboxId id, AttachRequest request);

  /**
   * Detaches the inbox when the connection ends; session expiry and will delay start now. All
   * acknowledgements must have been passed to {@link #commit} before.
   *
   * @param sentBelow this connection has sent no entry with this or a higher sequence
   * @param expirySeconds the session expiry that the client set last; 0 ends the session now
   * @param publishWill false after a normal DISCONNECT, which discards the will
   */
  CompletableFuture<Void> detach(
      InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill);

  /**
   * Detaches the inbox because this node ends the connection, and not the client. Like {@link
   * #detach} of a lost connection, but the will waits for {@link InboxSettings#willGrace} so that
   * the client can reconnect to any node.
   */
  CompletableFuture<Void> detachWithGrace(InboxHandle handle, long sentBelow, long expirySeconds);

  /**
   * Detaches the inbox because the cluster has marked this node DOWN. Like {@link
   * #detachWithGrace}, but session expiry, will delay and grace start when the connection closes.
   * If another node has detached the inbox, they start over; whatever was already due stays due.
   * Fails with {@link InboxFencedException} if the client has connected again.
   *
   * @param closesIn when the connection closes; not negative
   */
  CompletableFuture<Void> detachAtClose(
      InboxHandle handle, long sentBelow, long expirySeconds, Duration closesIn);

  /** Ends a session without attaching its inbox, e.g. for a clean start of a transient session. */
  CompletableFuture<DiscardResult> discard(InboxId id);

  /** Adds or replaces a subscription; completes with true if it existed before. */
  CompletableFuture<Boolean> subscribe(
      InboxHandle handle, TopicFilter filter, SubscriptionOptions options);

  /** Removes a subscription; completes with true if it existed. */
  CompletableFuture<Boolean> unsubscribe(InboxHandle handle, TopicFilter filter);

  /**
   * Appends one message to many inboxes. Completes with one outcome per target, in the order of the
   * targets.
   *
   * @param targets must not be empty
   * @param id null if the publisher never repeats the message
   */
  CompletableFuture<List<InsertOutcome>> insert(
      Message message, List<InboxTarget> targets, @Nullable PublishId id);

  /** The outcome of an insert into one inbox. */
  enum InsertOutcome {
    STORED,
    /** An earlier call with the same {@link PublishId} has stored it. */
    DUPLICATE,
    /** The inbox does not exist in this incarnation; the route is stale. */
    ABSENT,
    /** Stored; the oldest messages were dropped to make space. */
    STORED_DROPPING_OLDEST,
    /** Rejected: the inbox is full and its limits do not allow dropping old messages. */
    REFUSED_FULL
  }

  /**
   * Reads undelivered entries in order, starting at a sequence. Entries that were acknowledged,
   * released or dropped are omitted. Completes with an empty page if no entries remain.
   */
  CompletableFuture<Page> fetch(
      InboxHandle handle, long fromSequence, int maxEntries, int maxBytes);

  /**
   * One page of entries.
   *
   * @param entries in ascending order
   * @param nextSequence where the next page starts
   */
  record Page(List<InboxEntry> entries, long nextSequence) {}

  /**
   * Removes acknowledged entries. Calls are coalesced, so frequent calls are cheap. If the range is
   * busy, the store retries a bounded number of times, as for {@link #detach}.
   *
   * @param upTo all sequences below this one are acknowledged
   * @param beyond individual sequences ≥ upTo that are also acknowledged
   */
  CompletableFuture<Void> commit(InboxHandle handle, long upTo, List<Long> beyond);

  /**
   * Records the PUBREC for a QoS 2 message: the message is never sent again, and PUBREL is pending
   * until the sequence is committed.
   */
  CompletableFuture<Void> release(InboxHandle handle, long sequence);

  /**
   * Records a QoS 2 publish of the client before it is distributed.
   *
   * @param publishSequence assigned by the session, counting up from {@link
   *     Attachment#nextPublishSequence}
   */
  CompletableFuture<Void> recordReceived(
      InboxHandle handle, int packetIdentifier, long publishSequence);

  /**
   * Records the PUBREL for a QoS 2 publish of the client, which may then reuse the packet
   * identifier.
   */
  CompletableFuture<Void> forgetReceived(InboxHandle handle, int packetIdentifier);

  /**
   * Confirms that a will announced by {@link InboxListener#onWillDue} has been published durably.
   */
  CompletableFuture<Void> confirmWill(InboxId id, long incarnation, long epoch);

  /**
   * Processes the undelivered share messages of an ended session: removes those that other members
   * have received, and reads the first of the remaining ones. Messages that have expired or must
   * not go to another member (MQTT-4.8.2-5) are dropped and counted.
   *
   * @param delivered sequences that other members have received
   * @param maxMessages 0 to read none
   */
  CompletableFuture<UndeliveredShareMessage.Page> processUndelivered(
      InboxId id, long incarnation, List<Long> delivered, int maxMessages);

  /**
   * Returns true if this node leads the range of an inbox, as far as it knows; another node may
   * have become leader. This is a cheap call.
   */
  boolean isLocalLeader(InboxId id);

  /** Returns statistics for metrics. */
  InboxStoreStatus status();
}
