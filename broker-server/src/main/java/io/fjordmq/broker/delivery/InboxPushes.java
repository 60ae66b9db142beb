package io.fjordmq.broker.delivery;

import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Brings appended entries to the sessions they belong to, all that came since the last time in one
 * call. At most one call per session waits for its event loop; when a session has more entries
 * waiting than it may, the oldest are left out, and it sees the gap in the sequences and reads the
 * inbox instead. Thread-safe.
 */
final class InboxPushes {
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

  /** Entries of one inbox come here in order, by one thread at a time. */
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
      dispatch.mailbox(session.eventLoop()).call(() -> take(session));
    }
  }

  private Push merge(Push before, Push more) {
    List<InboxEntry> all = new ArrayList<>();
    if (before.handle.equals(more.handle)) {
      all.addAll(before.entries);
    }
    all.addAll(more.entries);
    return new Push(more.handle, newest(all));
  }

  /** As many of the last ones as may wait; at least one, for it shows the gap. */
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

  private void take(LiveSession session) {
    Push push = waiting.remove(session);
    if (push != null) {
      session.appended(push.handle, push.entries);
      session.flush();
    }
  }
}
