package io.fjordmq.inbox;

import io.fjordmq.api.Will;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Remembers what it was told. */
final class RecordingListener implements InboxListener {
  record DueWillCall(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder since,
      PublishId publishId) {}

  record EndedCall(InboxId id, long incarnation, List<String> filters) {}

  record AppendedCall(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {}

  final List<AppendedCall> appended = new ArrayList<>();
  final List<Predicate<InboxId>> led = new ArrayList<>();
  final List<InboxHandle> fenced = new ArrayList<>();
  final List<DueWillCall> wills = new ArrayList<>();
  final List<EndedCall> ended = new ArrayList<>();

  /** Incarnations, as often as they were announced. */
  final List<Long> left = new ArrayList<>();

  @Override
  public void appended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    appended.add(new AppendedCall(ownerNode, handle, entries));
  }

  @Override
  public void leading(InboxSpan concerned) {
    led.add(concerned);
  }

  @Override
  public void fenced(String ownerNode, InboxHandle handle) {
    fenced.add(handle);
  }

  @Override
  public void willDue(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder since,
      PublishId publishId) {
    wills.add(new DueWillCall(id, incarnation, epoch, will, since, publishId));
  }

  @Override
  public void leftToShares(InboxId id, long incarnation) {
    left.add(incarnation);
  }

  @Override
  public void ended(InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    ended.add(
        new EndedCall(
            id, incarnation, subscriptions.stream().map(s -> s.filter().text()).toList()));
  }
}
