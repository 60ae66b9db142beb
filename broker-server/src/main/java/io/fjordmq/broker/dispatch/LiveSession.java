package io.fjordmq.broker.dispatch;

import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A connected client as seen by delivery. It belongs to one event loop. */
public interface LiveSession {

  String tenant();

  String clientId();

  /**
   * Whether the session has an inbox: messages of effective QoS 1 and 2 reach it only through the
   * inbox, never live.
   */
  boolean isPersistent();

  /** The event loop of the session. All methods below are called on it. */
  Executor eventLoop();

  /** Whether the caller is on that event loop. */
  boolean inEventLoop();

  /**
   * Delivers a live message. If its queue is full, the session drops the message and counts the
   * reason. A message of a share that is not taken goes to another member.
   */
  DeliveryResult deliver(Delivery delivery);

  /** Writes the messages delivered since the last call; called once per batch. */
  void flush();

  /** Entries were appended to its inbox (see {@code InboxListener#onAppended}). */
  void onAppended(InboxHandle handle, List<InboxEntry> entries);

  /**
   * Entries may have been appended to its inbox without {@link #onAppended}: fetches them.
   *
   * @return completes when they are fetched, or immediately if the session has no inbox or cannot
   *     take any now
   */
  CompletableFuture<?> refetch();

  /** Closes the connection: another one has attached its inbox, or its session has ended. */
  void onFenced(InboxHandle handle);

  /** The same client identifier connects again: closes with 0x8E (session taken over). */
  void onTakenOver();
}
