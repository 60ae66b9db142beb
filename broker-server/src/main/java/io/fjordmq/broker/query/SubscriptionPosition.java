package io.fjordmq.broker.query;

import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;

/**
 * A position in the list of subscriptions, which is in the order of the sessions and then of the
 * UTF-8 encodings of the filters.
 *
 * @param filter the filter, or any other text that sorts like one; empty for all filters of the
 *     session
 */
record SubscriptionPosition(SessionPosition session, String filter)
    implements Comparable<SubscriptionPosition> {
  /** Before all subscriptions. */
  static final SubscriptionPosition START = new SubscriptionPosition(SessionPosition.START, "");

  static final SubscriptionPosition END = new SubscriptionPosition(SessionPosition.END, "");

  static SubscriptionPosition of(InboxId id, String filter) {
    return new SubscriptionPosition(SessionPosition.of(id), filter);
  }

  static SubscriptionPosition after(InboxId id, String filter) {
    return of(id, filter + '\0'); // no filter contains U+0000
  }

  @Override
  public int compareTo(SubscriptionPosition other) {
    int bySession = session.compareTo(other.session);
    return bySession != 0 ? bySession : SessionPosition.compareText(filter, other.filter);
  }
}
