package io.fjordmq.broker.dispatch;

import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The session of a connected client as seen by delivery. It belongs to one event loop. */
public interface LiveSession {

  String tenant();

  String clientId();

  /**
   * Whether the session has an inbox. Messages with an effective QoS of 1 or 2 reach such a session
   * only through the inbox, never live.
   */
  boolean isPersistent();

  /** The event loop of the session. All methods below are called on it. */
  Executor eventLoop();

  /** Whether the calling thread is the session's event loop. */
  boolean inEventLoop();

  /**
   * Delivers a live message. If its queue is full, the session drops the message and counts the
   * drop. A shared-subscription message that the session does not accept goes to another member.
   */
  DeliveryResult deliver(Delivery delivery);

  /** Writes the messages delivered since the previous call. Called once per batch. */
  void flush();

  /**
   * Called when entries have been appended to the session's inbox (see {@code
   * InboxListener#onAppended}).
   */
  void onAppended(InboxHandle handle, List<InboxEntry> entries);

  /**
   * Fetches entries that may have been appended to the session's inbox without a call to {@link
   * #onAppended}.
   *
   * @return a future that completes when the entries are fetched, or immediately if the session has
   *     no inbox or has no capacity for entries
   */
  CompletableFuture<?> refetch();

  /**
   * Closes the connection because another connection has attached the inbox, or because the session
   * has ended.
   */
  void onFenced(InboxHandle handle);

  /**
   * Closes the connection with 0x8E (session taken over) because a newer connection uses the same
   * client identifier.
   */
  void onTakenOver();
}
