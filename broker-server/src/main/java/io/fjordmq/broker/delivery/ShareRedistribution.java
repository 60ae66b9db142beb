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
 * Redistributes the messages that ended sessions have left to their shares (MQTT 5.0 §4.8.2), with
 * limited concurrency, while this node leads their range. The store deletes a message once a member
 * has taken it or no member can; until then it keeps announcing the session. Thread-safe.
 */
final class ShareRedistribution {
  private static final Logger LOG = LoggerFactory.getLogger(ShareRedistribution.class);

  /** Limit of sessions processed concurrently. */
  private static final int MAX_SESSIONS = 16;

  /** Limit of messages of a session processed concurrently. */
  private static final int MAX_MESSAGES = 64;

  /**
   * How far QoS 2 messages may be ahead of the first one that is left. Receivers remember 65,535
   * messages of a session and take older ones for duplicates.
   */
  private static final int MAX_AHEAD = 10_000;

  /** Limit of sessions in backoff. */
  private static final int MAX_PAUSES = 10_000;

  private record Ended(InboxId id, long incarnation) {}

  private final InboxStore store;
  private final ShareRerouting rerouting;
  private final BoundedCalls sessions = new BoundedCalls(MAX_SESSIONS);
  private final RateLimitedLog failures = new RateLimitedLog();

  /** Prevents that repeated announcements distribute a message twice. */
  private final Set<Ended> giving = ConcurrentHashMap.newKeySet();

  private final RedistributionBackoff<Ended> pauses = new RedistributionBackoff<>(MAX_PAUSES);

  ShareRedistribution(InboxStore store, ShareRerouting rerouting) {
    this.store = store;
    this.rerouting = rerouting;
  }

  /** An ended session has left messages; the store announces it every 10 s. */
  void redistribute(InboxId id, long incarnation) {
    Ended ended = new Ended(id, incarnation);
    if (!giving.add(ended)) {
      return;
    }
    if (!pauses.isOver(ended)) {
      giving.remove(ended);
      return;
    }
    sessions
        .run(() -> takeNext(ended, List.of()))
        .whenComplete(
            (done, fault) -> {
              giving.remove(ended);
              if (fault != null) {
                logFailure(ended, fault);
              }
            });
  }

  /** Stops when the range has another leader, which then redistributes the messages itself. */
  private CompletableFuture<Void> takeNext(Ended ended, List<Long> given) {
    if (!store.isLocalLeader(ended.id)) {
      pauses.forget(ended);
      return confirm(ended, given);
    }
    return store
        .processUndelivered(ended.id, ended.incarnation, given, MAX_MESSAGES)
        .thenCompose(
            page -> {
              if (page.complete()) {
                pauses.forget(ended);
                return CompletableFuture.completedFuture(null);
              }
              return redistributePage(ended, page.messages());
            });
  }

  /**
   * Tries one message of each share first, and the others only if it was taken: if all members are
   * full, one refusal is enough.
   */
  private CompletableFuture<Void> redistributePage(
      Ended ended, List<UndeliveredShareMessage> messages) {
    long lowest = messages.isEmpty() ? 0 : messages.get(0).sequence();
    List<UndeliveredShareMessage> near =
        messages.stream().filter(left -> isNear(left, lowest)).toList();
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
                        List<Long> given = new ArrayList<>(taken);
                        given.addAll(more);
                        given.sort(Comparator.naturalOrder());
                        return endPage(ended, messages.size(), given);
                      });
            });
  }

  private static boolean isNear(UndeliveredShareMessage left, long lowest) {
    return left.message().qos() != Qos.EXACTLY_ONCE || left.sequence() - lowest < MAX_AHEAD;
  }

  private CompletableFuture<Void> endPage(Ended ended, int size, List<Long> given) {
    if (given.isEmpty() && size > 0) {
      pauses.grow(ended);
    } else {
      pauses.forget(ended);
    }
    // The store announces the session again later; an immediate retry would not help.
    return given.size() == size ? takeNext(ended, given) : confirm(ended, given);
  }

  /** Completes with the sequences of the messages that the store may delete. */
  private CompletableFuture<List<Long>> redistributeAll(
      Ended ended, Collection<UndeliveredShareMessage> messages, long lowest) {
    List<CompletableFuture<Boolean>> calls = new ArrayList<>(messages.size());
    for (UndeliveredShareMessage message : messages) {
      calls.add(redistribute(ended, message, lowest));
    }
    rerouting.flush();
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              List<Long> given = new ArrayList<>(calls.size());
              int i = 0;
              for (UndeliveredShareMessage message : messages) {
                if (calls.get(i++).getNow(false)) {
                  given.add(message.sequence());
                }
              }
              return given;
            });
  }

  /** Makes the store delete the messages that were taken, and ends. */
  private CompletableFuture<Void> confirm(Ended ended, List<Long> given) {
    return given.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : store.processUndelivered(ended.id, ended.incarnation, given, 0).thenApply(page -> null);
  }

  /** Completes with whether the store may delete the message. */
  private CompletableFuture<Boolean> redistribute(
      Ended ended, UndeliveredShareMessage left, long lowest) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    // A QoS 1 message may be duplicated if a leader fails in between: nothing is remembered.
    PublishId id =
        left.message().qos() == Qos.EXACTLY_ONCE
            ? PublishId.ofUndelivered(ended.id, ended.incarnation, left.sequence(), lowest)
            : null;
    rerouting.publish(
        ShareKey.of(ended.id.tenant(), left.share()),
        left.message(),
        id,
        outcome -> done.complete(!outcome.isRefusal() && outcome != PublishOutcome.NOT_DURABLE));
    return done;
  }

  private void logFailure(Ended ended, Throwable fault) {
    @Nullable String suppressed = failures.permit();
    if (suppressed != null) {
      LOG.warn(
          "Failed to redistribute shared-subscription messages of an ended session, "
              + "retrying: {}{} session={}",
          fault.toString(),
          suppressed,
          ended.id);
    }
  }
}
