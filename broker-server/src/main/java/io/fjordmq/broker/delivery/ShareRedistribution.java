package io.fjordmq.broker.delivery;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.BoundedCalls;
import io.fjordmq.broker.dispatch.ShareKey;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.inbox.UndeliveredShareMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Redistributes the undelivered shared-subscription messages of ended sessions to other members
 * (MQTT 5.0 §4.8.2), with limited concurrency and only while this node leads the session's range.
 * The store deletes a message once a member has accepted it or no member can; until then, it keeps
 * announcing the session. Thread-safe.
 */
final class ShareRedistribution {
  private static final Logger LOG = LoggerFactory.getLogger(ShareRedistribution.class);

  /** The maximum number of sessions processed concurrently. */
  private static final int MAX_SESSIONS = 16;

  /** The maximum number of messages per session processed concurrently. */
  private static final int MAX_MESSAGES = 64;

  /**
   * Maximum distance between a QoS 2 message and the first undelivered message. Receivers remember
   * 65,535 messages per session and treat older messages as duplicates.
   */
  private static final int MAX_AHEAD = 10_000;

  /** The maximum number of sessions in backoff. */
  private static final int MAX_SESSIONS_IN_BACKOFF = 10_000;

  private record EndedSession(InboxId id, long incarnation) {}

  private final InboxStore store;
  private final ShareRerouting rerouting;
  private final BoundedCalls sessions = new BoundedCalls(MAX_SESSIONS);
  private final RateLimitedLog failures = new RateLimitedLog();

  /** Prevents repeated announcements from distributing a message twice. */
  private final Set<EndedSession> inProgress = ConcurrentHashMap.newKeySet();

  private final RedistributionBackoff<EndedSession> backoff =
      new RedistributionBackoff<>(MAX_SESSIONS_IN_BACKOFF);

  ShareRedistribution(InboxStore store, ShareRerouting rerouting) {
    this.store = store;
    this.rerouting = rerouting;
  }

  /**
   * Redistributes the undelivered messages of an ended session. The store announces the session
   * every 10 s.
   */
  void redistribute(InboxId id, long incarnation) {
    EndedSession ended = new EndedSession(id, incarnation);
    if (!inProgress.add(ended)) {
      return;
    }
    if (!backoff.recordAnnouncement(ended)) {
      inProgress.remove(ended);
      return;
    }
    sessions
        .run(() -> processNextPage(ended, List.of()))
        .whenComplete(
            (done, fault) -> {
              inProgress.remove(ended);
              if (fault != null) {
                logFailure(ended, fault);
              }
            });
  }

  /**
   * Processes the next page of messages. Stops once another node leads the range, because that node
   * redistributes the messages itself.
   */
  private CompletableFuture<Void> processNextPage(EndedSession ended, List<Long> deletable) {
    if (!store.isLocalLeader(ended.id)) {
      backoff.forget(ended);
      return deleteAccepted(ended, deletable);
    }
    return store
        .processUndelivered(ended.id, ended.incarnation, deletable, MAX_MESSAGES)
        .thenCompose(
            page -> {
              if (page.complete()) {
                backoff.forget(ended);
                return CompletableFuture.completedFuture(null);
              }
              return redistributePage(ended, page.messages());
            });
  }

  /**
   * Tries one message of each share first, and the other messages only if the first was accepted.
   * If all members are full, the first refusal shows it.
   */
  private CompletableFuture<Void> redistributePage(
      EndedSession ended, List<UndeliveredShareMessage> messages) {
    long lowest = messages.isEmpty() ? 0 : messages.get(0).sequence();
    List<UndeliveredShareMessage> near =
        messages.stream().filter(undelivered -> isNear(undelivered, lowest)).toList();
    Map<String, UndeliveredShareMessage> firsts = new LinkedHashMap<>();
    near.forEach(message -> firsts.putIfAbsent(message.share(), message));
    return redistributeAll(ended, firsts.values(), lowest)
        .thenCompose(
            taken -> {
              List<UndeliveredShareMessage> others = new ArrayList<>(near.size());
              for (UndeliveredShareMessage message : near) {
                UndeliveredShareMessage first = firsts.get(message.share());
                if (first != null && first != message && taken.contains(first.sequence())) {
                  others.add(message);
                }
              }
              return redistributeAll(ended, others, lowest)
                  .thenCompose(
                      more -> {
                        List<Long> deletable = new ArrayList<>(taken);
                        deletable.addAll(more);
                        deletable.sort(Comparator.naturalOrder());
                        return finishPage(ended, messages.size(), deletable);
                      });
            });
  }

  private static boolean isNear(UndeliveredShareMessage undelivered, long lowest) {
    return undelivered.message().qos() != Qos.EXACTLY_ONCE
        || undelivered.sequence() - lowest < MAX_AHEAD;
  }

  private CompletableFuture<Void> finishPage(EndedSession ended, int size, List<Long> deletable) {
    if (deletable.isEmpty() && size > 0) {
      backoff.increase(ended);
    } else {
      backoff.forget(ended);
    }
    // The store announces the session again later; an immediate retry would not help.
    return deletable.size() == size
        ? processNextPage(ended, deletable)
        : deleteAccepted(ended, deletable);
  }

  /**
   * Redistributes messages; completes with the sequence numbers of those that the store may delete.
   */
  private CompletableFuture<List<Long>> redistributeAll(
      EndedSession ended, Collection<UndeliveredShareMessage> messages, long lowest) {
    List<CompletableFuture<Boolean>> calls = new ArrayList<>(messages.size());
    for (UndeliveredShareMessage message : messages) {
      calls.add(redistribute(ended, message, lowest));
    }
    rerouting.flush();
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              List<Long> deletable = new ArrayList<>(calls.size());
              int i = 0;
              for (UndeliveredShareMessage message : messages) {
                if (calls.get(i++).getNow(false)) {
                  deletable.add(message.sequence());
                }
              }
              return deletable;
            });
  }

  /**
   * Makes the store delete the messages that no longer need a member, and ends the redistribution.
   */
  private CompletableFuture<Void> deleteAccepted(EndedSession ended, List<Long> deletable) {
    return deletable.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : store
            .processUndelivered(ended.id, ended.incarnation, deletable, 0)
            .thenApply(page -> null);
  }

  /** Redistributes one message; completes with whether the store may delete it. */
  private CompletableFuture<Boolean> redistribute(
      EndedSession ended, UndeliveredShareMessage undelivered, long lowest) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    // A QoS 1 message has no id by which duplicates are detected, so it may be delivered twice if
    // the leader fails at this point.
    PublishId id =
        undelivered.message().qos() == Qos.EXACTLY_ONCE
            ? PublishId.ofUndelivered(ended.id, ended.incarnation, undelivered.sequence(), lowest)
            : null;
    rerouting.publish(
        ShareKey.of(ended.id.tenant(), undelivered.share()),
        undelivered.message(),
        id,
        outcome -> done.complete(!outcome.isRefusal() && outcome != PublishOutcome.NOT_DURABLE));
    return done;
  }

  private void logFailure(EndedSession ended, Throwable fault) {
    @Nullable String suppressed = failures.permit();
    if (suppressed != null) {
      LOG.warn(
          "Failed to redistribute shared-subscription messages of an ended session; retrying: {}{}"
              + " session={}",
          fault.toString(),
          suppressed,
          ended.id);
    }
  }
}
