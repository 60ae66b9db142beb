package io.fjordmq.broker.delivery;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.LeftMessage;
import io.fjordmq.inbox.PublishId;
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
 * Gives the messages of shares that ended sessions have left to other members (MQTT 5.0 §4.8.2), a
 * bounded number at one time, while this node leads their range. The store forgets a message once a
 * member has it or none can have it; until then it announces the session again. Thread-safe.
 */
final class LeftMessages {
  private static final Logger LOG = LoggerFactory.getLogger(LeftMessages.class);

  /** Sessions whose messages are given at one time. */
  private static final int MAX_SESSIONS = 16;

  /** Messages of a session that are given at one time. */
  private static final int MAX_MESSAGES = 64;

  /**
   * How far messages of QoS 2 may be ahead of the first that is left. Receivers remember 65,535 of
   * a session, and take what is older as repeated.
   */
  private static final int MAX_AHEAD = 10_000;

  /** Sessions whose pauses are remembered. */
  private static final int MAX_PAUSES = 10_000;

  private record Ended(InboxId id, long incarnation) {}

  private final InboxStore store;
  private final PublishRouter publishRouter;
  private final BoundedCalls sessions = new BoundedCalls(MAX_SESSIONS);
  private final RateLimitedLog failures = new RateLimitedLog();

  /** So that the store's repetitions do not give a message twice. */
  private final Set<Ended> giving = ConcurrentHashMap.newKeySet();

  private final LeftMessageBackoff<Ended> pauses = new LeftMessageBackoff<>(MAX_PAUSES);

  LeftMessages(InboxStore store, PublishRouter publishRouter) {
    this.store = store;
    this.publishRouter = publishRouter;
  }

  /** An ended session has left messages; said again every 10 s. */
  void give(InboxId id, long incarnation) {
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

  /**
   * Stops when the range has another leader: that node gives them away, too, and this one would go
   * on beside it, message by message.
   */
  private CompletableFuture<Void> takeNext(Ended ended, List<Long> given) {
    if (!store.isLedHere(ended.id)) {
      pauses.forget(ended);
      return confirm(ended, given);
    }
    return store
        .takeLeft(ended.id, ended.incarnation, given, MAX_MESSAGES)
        .thenCompose(
            page -> {
              if (page.over()) {
                pauses.forget(ended);
                return CompletableFuture.completedFuture(null);
              }
              return givePage(ended, page.messages());
            });
  }

  /**
   * Gives one message of each share, and the others of those shares of which somebody took it:
   * where nobody has room, one refusal is enough.
   */
  private CompletableFuture<Void> givePage(Ended ended, List<LeftMessage> messages) {
    long lowest = messages.isEmpty() ? 0 : messages.get(0).sequence();
    List<LeftMessage> near = messages.stream().filter(left -> isNear(left, lowest)).toList();
    Map<String, LeftMessage> firsts = new LinkedHashMap<>();
    near.forEach(message -> firsts.putIfAbsent(message.share(), message));
    return giveAll(ended, firsts.values(), lowest)
        .thenCompose(
            taken -> {
              List<LeftMessage> others = new ArrayList<>(near.size());
              for (LeftMessage message : near) {
                LeftMessage first = firsts.get(message.share());
                if (first != null && first != message && taken.contains(first.sequence())) {
                  others.add(message);
                }
              }
              return giveAll(ended, others, lowest)
                  .thenCompose(
                      more -> {
                        List<Long> given = new ArrayList<>(taken);
                        given.addAll(more);
                        given.sort(Comparator.naturalOrder());
                        return endPage(ended, messages.size(), given);
                      });
            });
  }

  private static boolean isNear(LeftMessage left, long lowest) {
    return left.message().qos() != Qos.EXACTLY_ONCE || left.sequence() - lowest < MAX_AHEAD;
  }

  private CompletableFuture<Void> endPage(Ended ended, int size, List<Long> given) {
    if (given.isEmpty() && size > 0) {
      pauses.grow(ended);
    } else {
      pauses.forget(ended);
    }
    // The store announces the session again later: trying at once would be no better.
    return given.size() == size ? takeNext(ended, given) : confirm(ended, given);
  }

  /** Completes with the sequences of those that the store may forget. */
  private CompletableFuture<List<Long>> giveAll(
      Ended ended, Collection<LeftMessage> messages, long lowest) {
    List<CompletableFuture<Boolean>> calls = new ArrayList<>(messages.size());
    for (LeftMessage message : messages) {
      calls.add(give(ended, message, lowest));
    }
    publishRouter.flush();
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              List<Long> given = new ArrayList<>(calls.size());
              int i = 0;
              for (LeftMessage message : messages) {
                if (calls.get(i++).getNow(false)) {
                  given.add(message.sequence());
                }
              }
              return given;
            });
  }

  /** Has the store forget what others have, and ends. */
  private CompletableFuture<Void> confirm(Ended ended, List<Long> given) {
    return given.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : store.takeLeft(ended.id, ended.incarnation, given, 0).thenApply(page -> null);
  }

  /** Completes with whether the store may forget the message. */
  private CompletableFuture<Boolean> give(Ended ended, LeftMessage left, long lowest) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    // With QoS 1 a message may be given twice if a leader dies in between: nothing is remembered.
    PublishId id =
        left.message().qos() == Qos.EXACTLY_ONCE
            ? PublishId.ofLeft(ended.id, ended.incarnation, left.sequence(), lowest)
            : null;
    publishRouter.giveToShare(
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
