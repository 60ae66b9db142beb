package io.fjordmq.broker.nodes;

import io.fjordmq.inbox.InboxId;
import io.fjordmq.range.KeyInterval;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The sessions on another node that were not sent inbox entries because the stream was full, and
 * must fetch these entries themselves. If there are more such sessions than the limit, all sessions
 * on that node must refetch. Guarded by the monitor of the stream.
 */
final class LaggingSessions {
  private final int maxInboxes;
  private final Set<InboxId> inboxes = new LinkedHashSet<>();
  private boolean allSessions;

  LaggingSessions(int max) {
    this.maxInboxes = max;
  }

  void add(InboxId inbox) {
    if (!allSessions && inboxes.add(inbox) && inboxes.size() > maxInboxes) {
      allSessions = true;
      inboxes.clear();
    }
  }

  /** Removes and returns the items that make these sessions refetch. */
  List<NodeItem> takeItems() {
    List<NodeItem> items = new ArrayList<>(inboxes.size() + 1);
    if (allSessions) {
      items.add(new NodeItem.LeaderNotice(KeyInterval.ALL));
    }
    inboxes.forEach(inbox -> items.add(new NodeItem.Refetch(inbox)));
    clear();
    return items;
  }

  void clear() {
    inboxes.clear();
    allSessions = false;
  }
}
