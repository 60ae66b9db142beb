package io.fjordmq.inbox.client;

import io.fjordmq.api.Message;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.InsertMessage;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.range.RangeClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sends a message to the ranges of all its targets. */
final class MessageInserter {
  private static final InsertOutcome[] OUTCOMES = InsertOutcome.values();

  private final RangeClient client;
  private final long producerIdleMillis;
  private final InboxObserver observer;

  MessageInserter(RangeClient client, InboxSettings settings, InboxObserver observer) {
    this.client = client;
    this.producerIdleMillis = settings.producerIdle().toMillis();
    this.observer = observer;
  }

  CompletableFuture<List<InsertOutcome>> insert(
      Message message, List<InboxTarget> targets, @Nullable PublishId id) {
    final long start = System.nanoTime();
    List<CompletableFuture<byte[]>> parts = new ArrayList<>(1);
    for (int from = 0, to; from < targets.size(); from = to) {
      to = endOfPart(targets, from);
      parts.add(send(message, targets.subList(from, to), id));
    }
    CompletableFuture<?> all =
        parts.size() == 1
            ? parts.get(0)
            : CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    return FutureUnwrapper.map(
        all,
        done -> {
          List<InsertOutcome> outcomes = new ArrayList<>(targets.size());
          for (CompletableFuture<byte[]> part : parts) {
            for (byte outcome : part.join()) {
              outcomes.add(OUTCOMES[outcome]);
            }
          }
          report(outcomes, System.nanoTime() - start);
          return outcomes;
        });
  }

  /**
   * Returns the end (exclusive) of the targets that fit into one command; at least one target is
   * included.
   */
  private static int endOfPart(List<InboxTarget> targets, int from) {
    int to = from;
    long bytes = 0;
    while (to < targets.size()) {
      InboxTarget target = targets.get(to);
      bytes += target.id().maxBytes() + 16L + 5L * target.subscriptionIdentifiers().size();
      bytes += target.share() == null ? 0 : 3L * target.share().length();
      if (bytes > InboxSettings.MAX_TARGET_BYTES && to > from) {
        break;
      }
      to++;
    }
    return to;
  }

  /** Completes with one outcome per target. */
  private CompletableFuture<byte[]> send(
      Message message, List<InboxTarget> targets, @Nullable PublishId id) {
    if (targets.size() == 1) {
      byte[] command = InsertMessage.encode(message, id, producerIdleMillis, targets);
      return client.mutate(targets.get(0).id().routingKey(), command);
    }
    List<byte[]> keys = new ArrayList<>(targets.size());
    for (InboxTarget target : targets) {
      keys.add(target.id().routingKey());
    }
    RangeClient.GroupEncoder encoder =
        positions -> {
          List<InboxTarget> groupTargets = new ArrayList<>(positions.length);
          for (int position : positions) {
            groupTargets.add(targets.get(position));
          }
          return InsertMessage.encode(message, id, producerIdleMillis, groupTargets);
        };
    return FutureUnwrapper.map(
        client.mutateGrouped(keys, encoder), responses -> mergeOutcomes(responses, targets.size()));
  }

  private static byte[] mergeOutcomes(List<RangeClient.GroupResponse> responses, int targets) {
    byte[] outcomes = new byte[targets];
    Arrays.fill(outcomes, (byte) -1);
    for (RangeClient.GroupResponse response : responses) {
      for (int i = 0; i < response.positions().length; i++) {
        outcomes[response.positions()[i]] = response.response()[i];
      }
    }
    return outcomes;
  }

  private void report(List<InsertOutcome> outcomes, long nanos) {
    observer.onInserted(outcomes.size(), nanos);
    for (InsertOutcome outcome : outcomes) {
      observer.onOutcome(outcome, 1);
    }
  }
}
