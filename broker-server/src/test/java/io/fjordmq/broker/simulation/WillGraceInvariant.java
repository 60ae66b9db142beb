package io.fjordmq.broker.simulation;

import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node that does not serve publishes no will of a client whose connection it ends or loses: no
 * node announces the will before the grace has passed, unless the client connects again.
 */
final class WillGraceInvariant {
  /** Clocks of ranges differ from the simulation's, a little. */
  private static final long TOLERANCE_MILLIS = 1_000;

  /** If the incarnation has ended, the grace may have begun long before. */
  private static final List<String> DETACHES = List.of("detach", "detachWithGrace");

  private static final List<String> CONNECTS = List.of("attach", "discard");

  /** The state of one pending will. */
  private static final class PendingWill {
    final long notBeforeMillis;
    long dueAtMillis = Long.MAX_VALUE;

    /** The detach was done, and the grace begins with it. */
    boolean detached;

    PendingWill(long notBeforeMillis) {
      this.notBeforeMillis = notBeforeMillis;
    }
  }

  private final LongSupplier now;
  private final Map<InboxHandle, PendingWill> waits = new HashMap<>();
  private final Map<InboxId, Integer> connecting = new HashMap<>();

  /** A CONNECT without a response may be processed at any time. */
  private final Set<InboxId> unknown = new HashSet<>();

  private long graceMillis;
  private long excused;
  private @Nullable AssertionError violation;

  WillGraceInvariant(LongSupplier now) {
    this.now = now;
  }

  /** How long the nodes delay wills; 0: not at all. */
  void setGraceMillis(long millis) {
    graceMillis = millis;
  }

  /**
   * A node's inboxes, as its sessions see them.
   *
   * @param excusesClients whether clients that go now may be alive, as far as the node knows
   */
  InboxStore wrap(InboxStore store, BooleanSupplier excusesClients) {
    InboxStore watched = store;
    for (String detach : DETACHES) {
      watched =
          Defect.replaceMethod(
              InboxStore.class,
              watched,
              detach,
              (call, arguments) -> {
                boolean withWill = !detach.equals("detach") || Boolean.TRUE.equals(arguments[3]);
                return withWill && excusesClients.getAsBoolean()
                    ? excused(call, arguments)
                    : call.invoke(arguments);
              });
    }
    for (String connect : CONNECTS) {
      watched = Defect.replaceMethod(InboxStore.class, watched, connect, this::onConnect);
    }
    return watched;
  }

  private @Nullable Object excused(Defect.Call call, @Nullable Object... arguments) {
    InboxHandle handle = (InboxHandle) Objects.requireNonNull(arguments[0]);
    InboxId id = handle.id();
    if (graceMillis == 0 || unknown.contains(id) || connecting.containsKey(id)) {
      return call.invoke(arguments);
    }
    PendingWill wait = new PendingWill(now.getAsLong() + graceMillis - TOLERANCE_MILLIS);
    waits.put(handle, wait);
    return ((CompletableFuture<?>) Objects.requireNonNull(call.invoke(arguments)))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                waits.remove(handle, wait); // another node has detached it, or it is repeated later
              } else if (waits.get(handle) == wait) {
                wait.detached = true;
                excused++;
                check(handle, wait);
              }
            });
  }

  private Object onConnect(Defect.Call call, @Nullable Object... arguments) {
    InboxId id = (InboxId) Objects.requireNonNull(arguments[0]);
    connecting.merge(id, 1, Integer::sum);
    waits.keySet().removeIf(handle -> handle.id().equals(id));
    return ((CompletableFuture<?>) Objects.requireNonNull(call.invoke(arguments)))
        .whenComplete(
            (answer, failure) -> {
              connecting.computeIfPresent(id, (key, count) -> count == 1 ? null : count - 1);
              if (failure != null) {
                unknown.add(id);
              }
            });
  }

  /** Wraps the listener for events of the ranges that a node leads. */
  InboxListener wrap(InboxListener events) {
    return Defect.replaceMethod(
        InboxListener.class,
        events,
        "onWillDue",
        (call, arguments) -> {
          onWillDue(
              new InboxHandle(
                  (InboxId) Objects.requireNonNull(arguments[0]),
                  (Long) Objects.requireNonNull(arguments[1]),
                  (Long) Objects.requireNonNull(arguments[2])));
          return call.invoke(arguments);
        });
  }

  private void onWillDue(InboxHandle handle) {
    PendingWill wait = waits.get(handle);
    if (wait != null) {
      wait.dueAtMillis = Math.min(wait.dueAtMillis, now.getAsLong());
      check(handle, wait);
    }
  }

  private void check(InboxHandle handle, PendingWill wait) {
    if (wait.detached && wait.dueAtMillis < wait.notBeforeMillis) {
      violation =
          new AssertionError(
              "the will of %s is published %d ms before its client had the time to come back"
                  .formatted(handle, wait.notBeforeMillis - wait.dueAtMillis));
    }
  }

  /** Connections that nodes closed or lost while they did not serve. */
  long excused() {
    return excused;
  }

  void check() {
    if (violation != null) {
      throw violation;
    }
  }
}
