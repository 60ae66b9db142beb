package io.fjordmq.inbox.client;

import io.fjordmq.api.Will;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.PublishId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Records all events. */
public final class RecordingListener implements InboxListener {
  record DueWillCall(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder since,
      PublishId publishId) {}

  record EndedCall(InboxId id, long incarnation, List<String> filters) {}

  public record AppendedCall(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {}

  public final List<AppendedCall> appendedCalls = new ArrayList<>();
  public int appendsCompleted;
  final List<Predicate<InboxId>> ledInboxes = new ArrayList<>();
  public final List<InboxHandle> fencedHandles = new ArrayList<>();
  final List<DueWillCall> dueWillCalls = new ArrayList<>();
  public final List<InboxId> expiredIds = new ArrayList<>();

  /** The dropped messages, as {@code client reason count}. */
  public final List<String> drops = new ArrayList<>();

  final List<EndedCall> endedCalls = new ArrayList<>();

  /** Incarnations, once per announcement. */
  final List<Long> undeliveredIncarnations = new ArrayList<>();

  @Override
  public void onAppended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    appendedCalls.add(new AppendedCall(ownerNode, handle, entries));
  }

  @Override
  public void onAppendsComplete() {
    appendsCompleted++;
  }

  @Override
  public void onLeaderStart(InboxSpan concerned) {
    ledInboxes.add(concerned);
  }

  @Override
  public void onFenced(String ownerNode, InboxHandle handle) {
    fencedHandles.add(handle);
  }

  @Override
  public void onWillDue(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder since,
      PublishId publishId) {
    dueWillCalls.add(new DueWillCall(id, incarnation, epoch, will, since, publishId));
  }

  @Override
  public void onSessionExpired(InboxId id) {
    expiredIds.add(id);
  }

  @Override
  public void onDropped(InboxId id, String reason, long count) {
    drops.add(id.clientId() + " " + reason + " " + count);
  }

  @Override
  public void onUndeliveredShareMessages(InboxId id, long incarnation) {
    undeliveredIncarnations.add(incarnation);
  }

  @Override
  public void onSessionEnded(InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    endedCalls.add(
        new EndedCall(
            id, incarnation, subscriptions.stream().map(s -> s.filter().text()).toList()));
  }
}
