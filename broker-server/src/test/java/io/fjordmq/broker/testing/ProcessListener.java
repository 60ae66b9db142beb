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

/** Tells the process that lives now what the inbox store says; the store outlives processes. */
final class ProcessListener implements InboxListener {
  private @Nullable InboxListener alive;

  void of(@Nullable InboxListener process) {
    alive = process;
  }

  @Override
  public void onAppended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    if (alive != null) {
      alive.onAppended(ownerNode, handle, entries);
    }
  }

  @Override
  public void onLeaderStart(InboxSpan concerned) {
    if (alive != null) {
      alive.onLeaderStart(concerned);
    }
  }

  @Override
  public void onFenced(String ownerNode, InboxHandle handle) {
    if (alive != null) {
      alive.onFenced(ownerNode, handle);
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
    if (alive != null) {
      alive.onWillDue(id, incarnation, epoch, will, since, publishId);
    }
  }

  @Override
  public void onSessionEnded(InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    if (alive != null) {
      alive.onSessionEnded(id, incarnation, subscriptions);
    }
  }

  @Override
  public void onUndeliveredShareMessages(InboxId id, long incarnation) {
    if (alive != null) {
      alive.onUndeliveredShareMessages(id, incarnation);
    }
  }
}
