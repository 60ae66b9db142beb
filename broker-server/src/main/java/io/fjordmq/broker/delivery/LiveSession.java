package io.fjordmq.broker.delivery;

import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** What a connected client shows to those who deliver to it. It belongs to one event loop. */
public interface LiveSession {

  String tenant();

  String clientId();

  /**
   * True if the session has an inbox: messages of effective QoS 1 and 2 reach it through that and
   * never live.
   */
  boolean isPersistent();

  /** Runs tasks on the event loop the session belongs to. All methods below are called there. */
  Executor eventLoop();

  /** True if the caller is on that event loop. */
  boolean inEventLoop();

  /**
   * Takes a live message. Bounded: when its queue is full the session drops it, counted by reason.
   * What it does not take goes to another member if it came through a share.
   */
  DeliveryResult deliver(Delivery delivery);

  /** Writes out what {@link #deliver} has taken since the last call; called once per batch. */
  void flush();

  /** Entries were appended to its inbox (see {@code InboxListener#appended}). */
  void appended(InboxHandle handle, List<InboxEntry> entries);

  /**
   * Entries may have been appended to its inbox without {@link #appended}: it reads on there.
   *
   * @return completes when it has read, or at once if it has no inbox or cannot take anything now
   */
  CompletableFuture<?> refetch();

  /** Its inbox belongs to another connection now, or its session has ended: close. */
  void fenced(InboxHandle handle);

  /** The same client identifier connects again: close with 0x8E (session taken over). */
  void takenOver();
}
