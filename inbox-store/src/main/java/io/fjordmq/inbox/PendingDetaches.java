package io.fjordmq.inbox;

import io.fjordmq.range.RangeException;
import io.fjordmq.range.Timers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Inboxes that could not be given back, because their range did not answer for as long as a call
 * may take: those of connections that have ended, and those that may have been attached although
 * nobody heard of it. They are given back once it answers: else they would stay attached to nobody,
 * never expire, and keep their will. A later connection of the client makes it needless.
 * Thread-safe.
 */
final class PendingDetaches {
  /** Tried together, so that a range that comes back is not flooded. */
  private static final int AT_ONCE = 512;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final InboxSettings settings;
  private final Timers timers;
  private final Function<InboxCommand, CompletableFuture<Void>> send;
  private final Object lock = new Object();

  // Guarded by lock, which is never held while something is sent.
  private final Map<InboxId, Owed> owed = new LinkedHashMap<>();
  private boolean scheduled;
  private boolean closed;

  /** What is owed of one inbox, in this order: if the attach came to nothing, the detach counts. */
  private static final class Owed {
    @Nullable DetachSession detach;
    @Nullable AbandonAttach attach;

    /** An attach is under way, behind which that of before must not be given up. */
    boolean attaching;

    /** Done when what was begun last has been sent. */
    CompletableFuture<Void> sent = DONE;

    @Nullable InboxCommand next() {
      return detach != null ? detach : attaching ? null : attach;
    }
  }

  /** A command to send, and what to say when it has been. */
  private record Attempt(InboxId id, InboxCommand command, CompletableFuture<Void> sent) {}

  /**
   * @param send makes one attempt
   */
  PendingDetaches(
      InboxSettings settings, Timers timers, Function<InboxCommand, CompletableFuture<Void>> send) {
    this.settings = settings;
    this.timers = timers;
    this.send = send;
  }

  /** Takes a detach over if its failure may pass. */
  void failed(DetachSession command, Throwable failure) {
    if (mayPass(failure)) {
      synchronized (lock) {
        Owed one = owe(command.handle().id());
        if (one != null) {
          one.detach = command;
        }
      }
      schedule();
    }
  }

  /**
   * An attach is to be sent. No earlier one of this process is given up behind it.
   *
   * @return done when it may be sent: at once, or when another thread has sent what it is about to
   */
  CompletableFuture<Void> attaching(InboxId id) {
    synchronized (lock) {
      Owed one = owed.get(id);
      if (one == null) {
        return DONE;
      }
      one.attaching = true;
      return one.sent;
    }
  }

  /** What came before has lost the inbox to it. */
  void attached(InboxId id) {
    synchronized (lock) {
      owed.remove(id);
    }
  }

  /** Gives an attach up. If it was never sent, what was owed before it is owed again. */
  void attachFailed(AbandonAttach command, Throwable failure) {
    synchronized (lock) {
      Owed one = isUnknown(failure) ? owe(command.id()) : owed.get(command.id());
      if (one != null) {
        one.attaching = false;
        one.attach = isUnknown(failure) ? command : one.attach;
        removeIfPaid(command.id(), one);
      }
    }
    schedule();
  }

  /**
   * What is owed of the inbox; null if there is no room: then it stays attached until its client
   * comes back or this node's life ends.
   */
  private @Nullable Owed owe(InboxId id) {
    Owed one = owed.get(id);
    if (one == null && owed.size() < settings.maxOwedDetaches()) {
      one = new Owed();
      owed.put(id, one);
    }
    return one;
  }

  private static boolean mayPass(Throwable failure) {
    return failure instanceof RangeException refused
        && refused.kind() != RangeException.Kind.CLOSED
        && refused.kind() != RangeException.Kind.TOO_LARGE;
  }

  private static boolean isUnknown(Throwable failure) {
    return mayPass(failure) && ((RangeException) failure).kind() != RangeException.Kind.BUSY;
  }

  private void schedule() {
    synchronized (lock) {
      if (closed || scheduled || owed.isEmpty()) {
        return;
      }
      scheduled = true;
    }
    timers.schedule(settings.owedDetachPause().toMillis(), this::round);
  }

  private void round() {
    CompletableFuture<?>[] attempts =
        begin().stream().map(this::attempt).toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(attempts)
        .whenComplete(
            (all, none) -> {
              synchronized (lock) {
                scheduled = false;
              }
              schedule();
            });
  }

  /** Those tried longest ago come first: one range that stays away does not hold up the others. */
  private List<Attempt> begin() {
    synchronized (lock) {
      List<Attempt> some = new ArrayList<>();
      for (InboxId id : owed.keySet().stream().limit(AT_ONCE).toList()) {
        Owed one = owed.remove(id);
        owed.put(id, one);
        InboxCommand command = one.next();
        if (command != null) {
          one.sent = new CompletableFuture<>();
          some.add(new Attempt(id, command, one.sent));
        }
      }
      return some;
    }
  }

  private CompletableFuture<?> attempt(Attempt attempt) {
    CompletableFuture<Void> answer = send.apply(attempt.command);
    attempt.sent.complete(null);
    return answer.handle(
        (done, failure) -> {
          if (failure == null || !mayPass(UnwrappedFutures.unwrap(failure))) {
            settled(attempt);
          }
          return null;
        });
  }

  private void settled(Attempt attempt) {
    synchronized (lock) {
      Owed one = owed.get(attempt.id);
      if (one != null) {
        one.detach = one.detach == attempt.command ? null : one.detach;
        one.attach = one.attach == attempt.command ? null : one.attach;
        removeIfPaid(attempt.id, one);
      }
    }
  }

  private void removeIfPaid(InboxId id, Owed one) {
    if (one.detach == null && one.attach == null && !one.attaching) {
      owed.remove(id);
    }
  }

  /** Tries nothing more. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
  }
}
