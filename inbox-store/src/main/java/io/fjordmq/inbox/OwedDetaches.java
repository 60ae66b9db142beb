package io.fjordmq.inbox;

import io.fjordmq.range.RangeException;
import io.fjordmq.range.Timers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Inboxes that could not be given back, because their range did not answer for as long as a call
 * may take. They are given back once it does: else they would stay attached to a connection that is
 * gone, never expire, and keep their will. A later connection of the client makes it needless: then
 * the inbox says that it is fenced. Thread-safe.
 */
final class OwedDetaches {
  /** Tried together, so that a range that comes back is not flooded. */
  private static final int AT_ONCE = 512;

  private final InboxSettings settings;
  private final Timers timers;
  private final Function<DetachSession, CompletableFuture<Void>> detach;
  private final ConcurrentHashMap<InboxHandle, DetachSession> owed = new ConcurrentHashMap<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * @param detach makes one attempt
   */
  OwedDetaches(
      InboxSettings settings,
      Timers timers,
      Function<DetachSession, CompletableFuture<Void>> detach) {
    this.settings = settings;
    this.timers = timers;
    this.detach = detach;
  }

  /**
   * Takes one over if its failure may pass; if there is no room, the inbox stays attached until its
   * client comes back or this node's life ends.
   */
  void failed(DetachSession command, Throwable failure) {
    if (mayPass(failure) && owed.size() < settings.maxOwedDetaches()) {
      owed.put(command.handle(), command);
      schedule();
    }
  }

  private static boolean mayPass(Throwable failure) {
    return failure instanceof RangeException refused
        && refused.kind() != RangeException.Kind.CLOSED
        && refused.kind() != RangeException.Kind.TOO_LARGE;
  }

  private void schedule() {
    if (!closed && !owed.isEmpty() && scheduled.compareAndSet(false, true)) {
      timers.schedule(settings.owedDetachPause().toMillis(), this::round);
    }
  }

  private void round() {
    List<DetachSession> some = owed.values().stream().limit(AT_ONCE).toList();
    CompletableFuture.allOf(some.stream().map(this::attempt).toArray(CompletableFuture<?>[]::new))
        .whenComplete(
            (all, none) -> {
              scheduled.set(false);
              schedule();
            });
  }

  private CompletableFuture<?> attempt(DetachSession command) {
    return detach
        .apply(command)
        .handle(
            (done, failure) -> {
              if (failure == null || !mayPass(Calls.unwrap(failure))) {
                owed.remove(command.handle(), command);
              }
              return null;
            });
  }

  /** Tries nothing more. */
  void close() {
    closed = true;
  }
}
