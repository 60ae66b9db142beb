package io.fjordmq.broker.recovery;

import io.fjordmq.api.Will;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.PublishId;
import java.util.List;

/** No client is connected during a recovery. What is due is repeated when the node has started. */
final class NoOpInboxListener implements InboxListener {
  @Override
  public void onAppended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {}

  @Override
  public void onAppendsComplete() {}

  @Override
  public void onLeaderStart(InboxSpan inboxes) {}

  @Override
  public void onFenced(String ownerNode, InboxHandle handle) {}

  @Override
  public void onWillDue(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder connectOrder,
      PublishId publishId) {}

  @Override
  public void onSessionEnded(InboxId id, long incarnation, List<InboxSubscription> subscriptions) {}

  @Override
  public void onUndeliveredShareMessages(InboxId id, long incarnation) {}
}
