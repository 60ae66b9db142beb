package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pushes appended entries to their sessions, with one call for all entries since the last one. At
 * most one call per session waits for its event loop. If too many entries wait for a session, the
 * oldest are skipped; the session sees the gap in the sequences and fetches them from the inbox.
 * Thread-safe.
 */
final class InboxPushes {
  private static final Comparator<InboxHandle> BY_AGE =
      Comparator.comparingLong(InboxHandle::incarnation).thenComparingLong(InboxHandle::epoch);

  private static final Comparator<InboxEntry> BY_SEQUENCE =
      Comparator.comparingLong(InboxEntry::sequence);

  /**
   * @param entries at least one, in the order of their sequences
   */
  private record Push(InboxHandle handle, List<InboxEntry> entries) {}

  private final LiveDispatch dispatch;
  private final int maxEntries;
  private final long maxBytes;
  private final ConcurrentHashMap<LiveSession, Push> waiting = new ConcurrentHashMap<>();

  InboxPushes(LiveDispatch dispatch, DeliverySettings settings) {
    this.dispatch = dispatch;
    this.maxEntries = settings.pushedEntriesPerInbox();
    this.maxBytes = settings.pushedBytesPerInbox();
  }

  /**
   * Pushes entries. Those of one inbox arrive in order from the leader of its range, but those of a
   * deposed leader may arrive after those of its successor.
   *
   * @param entries at least one
   */
  void push(LiveSession session, InboxHandle handle, List<InboxEntry> entries) {
    Push first = new Push(handle, entries);
    boolean[] merged = new boolean[1];
    waiting.merge(
        session,
        first,
        (before, more) -> {
          merged[0] = true;
          return merge(before, more);
        });
    if (!merged[0]) {
      dispatch.mailbox(session.eventLoop()).call(() -> deliver(session));
    }
  }

  private Push merge(Push before, Push more) {
    int order = BY_AGE.compare(before.handle, more.handle);
    if (order != 0) {
      return order < 0 ? more : before; // the older handle no longer has a session
    }
    List<InboxEntry> all = new ArrayList<>(before.entries);
    all.addAll(more.entries);
    if (isLate(more, before)) {
      all.sort(
          BY_SEQUENCE); // otherwise newest() could skip the newest entries, without a visible gap
    }
    return new Push(more.handle, newest(all));
  }

  private static boolean isLate(Push more, Push before) {
    long last = before.entries.get(before.entries.size() - 1).sequence();
    return more.entries.get(0).sequence() <= last;
  }

  /** The newest entries up to the limits; at least one, so that the session sees the gap. */
  private List<InboxEntry> newest(List<InboxEntry> all) {
    int from = all.size();
    long bytes = 0;
    while (from > 0 && all.size() - from < maxEntries) {
      bytes += all.get(from - 1).message().payload().length;
      if (bytes > maxBytes && from < all.size()) {
        break;
      }
      from--;
    }
    return from == 0 ? all : List.copyOf(all.subList(from, all.size()));
  }

  private void deliver(LiveSession session) {
    Push push = waiting.remove(session);
    if (push != null) {
      session.onAppended(push.handle, push.entries);
      session.flush();
    }
  }
}
