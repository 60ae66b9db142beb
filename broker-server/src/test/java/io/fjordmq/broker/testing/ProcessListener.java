package io.fjordmq.broker.testing;

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
import org.jspecify.annotations.Nullable;

/** Forwards inbox events to the current process; the store outlives processes. */
final class ProcessListener implements InboxListener {
  private @Nullable InboxListener current;

  void setTarget(@Nullable InboxListener process) {
    current = process;
  }

  @Override
  public void onAppended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    if (current != null) {
      current.onAppended(ownerNode, handle, entries);
    }
  }

  @Override
  public void onAppendsComplete() {
    if (current != null) {
      current.onAppendsComplete();
    }
  }

  @Override
  public void onLeaderStart(InboxSpan concerned) {
    if (current != null) {
      current.onLeaderStart(concerned);
    }
  }

  @Override
  public void onFenced(String ownerNode, InboxHandle handle) {
    if (current != null) {
      current.onFenced(ownerNode, handle);
    }
  }

  @Override
  public void onWillDue(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder since,
      PublishId publishId) {
    if (current != null) {
      current.onWillDue(id, incarnation, epoch, will, since, publishId);
    }
  }

  @Override
  public void onSessionEnded(InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    if (current != null) {
      current.onSessionEnded(id, incarnation, subscriptions);
    }
  }

  @Override
  public void onUndeliveredShareMessages(InboxId id, long incarnation) {
    if (current != null) {
      current.onUndeliveredShareMessages(id, incarnation);
    }
  }
}
