package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.DiscardResult;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.inbox.UndeliveredShareMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An inbox store that records inserts and answers as configured by the test. */
public final class FakeInboxStore implements InboxStore {

  /** A recorded call of {@link #insert}. */
  record Insert(Message message, List<InboxTarget> targets, @Nullable PublishId id) {}

  final List<Insert> inserts = new ArrayList<>();

  /** By client identifier, or by client identifier and incarnation separated by a slash. */
  final Map<String, InsertOutcome> outcomes = new HashMap<>();

  final List<InboxId> confirmedWills = new ArrayList<>();
  final List<UndeliveredShareMessage> undelivered = new ArrayList<>();

  /** The messages that each call of {@link #processUndelivered} reported as redistributed. */
  final List<List<Long>> reportedDeliveries = new ArrayList<>();

  /** Whether this node leads the ranges of all inboxes. */
  boolean localLeader = true;

  @Nullable RuntimeException failure;

  /** If set, inserts complete only after this future. */
  @Nullable CompletableFuture<Void> gate;

  @Override
  public CompletableFuture<List<InsertOutcome>> insert(
      Message message, List<InboxTarget> targets, @Nullable PublishId id) {
    inserts.add(new Insert(message, targets, id));
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    List<InsertOutcome> result = targets.stream().map(this::outcomeOf).toList();
    return gate == null
        ? CompletableFuture.completedFuture(result)
        : gate.thenApply(open -> result);
  }

  private InsertOutcome outcomeOf(InboxTarget target) {
    String clientId = target.id().clientId();
    InsertOutcome any = outcomes.getOrDefault(clientId, InsertOutcome.STORED);
    return outcomes.getOrDefault(clientId + "/" + target.incarnation(), any);
  }

  @Override
  public CompletableFuture<Void> confirmWill(InboxId id, long incarnation, long epoch) {
    confirmedWills.add(id);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Attachment> attach(InboxId id, AttachRequest request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> detachAtClose(
      InboxHandle handle, long sentBelow, long expirySeconds, Duration closesIn) {
    return detach(handle, sentBelow, expirySeconds, true);
  }

  @Override
  public CompletableFuture<Void> detachWithGrace(
      InboxHandle handle, long sentBelow, long expirySeconds) {
    return detach(handle, sentBelow, expirySeconds, true);
  }

  @Override
  public CompletableFuture<Void> detach(
      InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<DiscardResult> discard(InboxId id) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Boolean> subscribe(
      InboxHandle handle, TopicFilter filter, SubscriptionOptions options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Boolean> unsubscribe(InboxHandle handle, TopicFilter filter) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Page> fetch(
      InboxHandle handle, long fromSequence, int maxEntries, int maxBytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> commit(InboxHandle handle, long upTo, List<Long> beyond) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> release(InboxHandle handle, long sequence) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> recordReceived(
      InboxHandle handle, int packetIdentifier, long publishSequence) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> forgetReceived(InboxHandle handle, int packetIdentifier) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<UndeliveredShareMessage.Page> processUndelivered(
      InboxId id, long incarnation, List<Long> given, int maxMessages) {
    reportedDeliveries.add(given);
    given.forEach(sequence -> undelivered.removeIf(message -> message.sequence() == sequence));
    List<UndeliveredShareMessage> page = undelivered.stream().limit(maxMessages).toList();
    return CompletableFuture.completedFuture(
        new UndeliveredShareMessage.Page(page, undelivered.isEmpty()));
  }

  @Override
  public boolean isLocalLeader(InboxId id) {
    return localLeader;
  }

  @Override
  public InboxStoreStatus status() {
    throw new UnsupportedOperationException();
  }
}
