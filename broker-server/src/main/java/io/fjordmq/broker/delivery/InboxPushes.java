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
 * Pushes appended entries to their sessions. Each call carries all entries appended since the
 * previous call, and at most one call per session waits for the session's event loop. If too many
 * entries are waiting for a session, the oldest are skipped; the session detects the gap in the
 * sequence numbers and fetches them from the inbox. Thread-safe.
 */
final class InboxPushes {
  private static final Comparator<InboxHandle> BY_AGE =
      Comparator.comparingLong(InboxHandle::incarnation).thenComparingLong(InboxHandle::epoch);

  private static final Comparator<InboxEntry> BY_SEQUENCE =
      Comparator.comparingLong(InboxEntry::sequence);

  /**
   * @param entries the entries, ordered by sequence; never empty
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
   * Pushes entries. The leader of a range sends the entries of an inbox in order, but entries from
   * a deposed leader may arrive after those from its successor.
   *
   * @param entries the entries; must not be empty
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
      return order < 0 ? more : before; // the session of the older handle is gone
    }
    List<InboxEntry> all = new ArrayList<>(before.entries);
    all.addAll(more.entries);
    if (isLate(more, before)) {
      // Otherwise selectNewest() could skip the newest entries without leaving a detectable gap.
      all.sort(BY_SEQUENCE);
    }
    return new Push(more.handle, selectNewest(all));
  }

  private static boolean isLate(Push more, Push before) {
    long last = before.entries.get(before.entries.size() - 1).sequence();
    return more.entries.get(0).sequence() <= last;
  }

  /**
   * Returns the newest entries within the limits, and at least one so that the session detects the
   * gap.
   */
  private List<InboxEntry> selectNewest(List<InboxEntry> all) {
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
