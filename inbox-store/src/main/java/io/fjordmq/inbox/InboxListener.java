package io.fjordmq.inbox;

import io.fjordmq.api.Will;
import java.util.List;

/**
 * Receives events from the leaders of inbox ranges. Called on apply threads; must not block. Events
 * of one inbox arrive in order.
 */
public interface InboxListener {

  /**
   * Called when entries were durably appended to an attached inbox. Events can be lost: a receiver
   * that finds a gap in the sequences reads the missing entries with {@link InboxStore#fetch}.
   *
   * @param ownerNode the node of the connection
   * @param entries in ascending order
   */
  void onAppended(String ownerNode, InboxHandle handle, List<InboxEntry> entries);

  /**
   * Called after one or more calls of {@link #onAppended} on the same thread, before any other
   * event of these inboxes. The listener can use it to send the entries of many inboxes together.
   */
  void onAppendsComplete();

  /**
   * Called when this node has become leader of a range, by election or because the range was
   * reopened. Events about the latest entries may have been lost, possibly without a later event
   * that reveals the gap. Each connection that holds one of the inboxes must therefore {@link
   * InboxStore#fetch} once.
   *
   * @param inboxes the inboxes of the range
   */
  void onLeaderStart(InboxSpan inboxes);

  /** Called when another attach or a discard has fenced this handle. */
  void onFenced(String ownerNode, InboxHandle handle);

  /**
   * Called when a will is due and must be published. Repeated until {@link InboxStore#confirmWill}
   * is called. The listener must publish the will with the given id, so that it is stored only
   * once.
   *
   * @param connectOrder connect order of the will: after messages of earlier connections of the
   *     client and before those of later ones
   */
  void onWillDue(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder connectOrder,
      PublishId publishId);

  /**
   * Called when a session has ended, by expiry or by a detach with expiry 0. The routes of its
   * subscriptions must be removed.
   */
  void onSessionEnded(InboxId id, long incarnation, List<InboxSubscription> subscriptions);

  /**
   * Called when a session has outlived its connection and then expired, before {@link
   * #onSessionEnded}.
   */
  default void onSessionExpired(InboxId id) {}

  /** Called when messages in the inbox were dropped, for one of the {@link DropReasons}. */
  default void onDropped(InboxId id, String reason, long count) {}

  /**
   * Called when a session has ended with undelivered messages of shared subscriptions ("share
   * messages"), which must go to other members. Repeated until {@link
   * InboxStore#processUndelivered} reports that no messages remain.
   */
  void onUndeliveredShareMessages(InboxId id, long incarnation);
}
