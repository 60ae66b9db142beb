package io.fjordmq.inbox.client;

import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import io.fjordmq.inbox.AbandonAttach;
import io.fjordmq.inbox.DetachSession;
import io.fjordmq.inbox.InboxCommand;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.RangeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Retries detaches that failed because their range did not respond in time. It covers inboxes of
 * connections that have ended, and inboxes whose attach has an unknown outcome. Without the detach,
 * such an inbox would stay attached although it has no connection: it would never expire, and its
 * will would never be published. A later attach by the client makes the detach unnecessary.
 * Thread-safe.
 */
final class PendingDetaches {
  /** Maximum number of attempts per round, so that a range that recovers is not flooded. */
  private static final int MAX_ATTEMPTS = 512;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final InboxSettings settings;
  private final Timers timers;
  private final Function<InboxCommand, CompletableFuture<Void>> send;
  private final Object lock = new Object();

  // Guarded by lock, which is never held while a command is sent.
  private final Map<InboxId, Pending> pending = new LinkedHashMap<>();
  private boolean scheduled;
  private boolean closed;

  /**
   * The pending commands of one inbox, in sending order: the detach still applies if the later
   * attach was never executed.
   */
  private static final class Pending {
    @Nullable DetachSession detach;
    @Nullable AbandonAttach abandonAttach;

    /** Whether an attach is in flight: no earlier attach may be abandoned after it. */
    boolean attaching;

    /** Completes when the most recent attempt has been sent. */
    CompletableFuture<Void> sent = DONE;

    @Nullable InboxCommand next() {
      return detach != null ? detach : attaching ? null : abandonAttach;
    }
  }

  /** A command to send, and the future to complete once it has been sent. */
  private record Attempt(InboxId id, InboxCommand command, CompletableFuture<Void> sent) {}

  /**
   * Creates an empty collection.
   *
   * @param send makes one attempt to execute a command
   */
  PendingDetaches(
      InboxSettings settings, Timers timers, Function<InboxCommand, CompletableFuture<Void>> send) {
    this.settings = settings;
    this.timers = timers;
    this.send = send;
  }

  /** Schedules retries of a detach if its failure may be temporary. */
  void onDetachFailed(DetachSession command, Throwable failure) {
    if (isTemporary(failure)) {
      synchronized (lock) {
        Pending commands = pendingFor(command.handle().id());
        if (commands != null) {
          commands.detach = command;
        }
      }
      schedule();
    }
  }

  /**
   * Announces an attach, so that no earlier attach of this node is abandoned after it.
   *
   * @return completes when the attach may be sent: immediately, or once another thread has sent its
   *     current attempt
   */
  CompletableFuture<Void> onAttachStarting(InboxId id) {
    synchronized (lock) {
      Pending commands = pending.get(id);
      if (commands == null) {
        return DONE;
      }
      commands.attaching = true;
      return commands.sent;
    }
  }

  /** Handles a successful attach, which has fenced all earlier ones. */
  void onAttached(InboxId id) {
    synchronized (lock) {
      pending.remove(id);
    }
  }

  /**
   * Handles a failed attach. If its outcome is unknown, the attach is abandoned; otherwise the
   * commands that were pending before it are retried.
   */
  void onAttachFailed(AbandonAttach command, Throwable failure) {
    synchronized (lock) {
      Pending commands = isUnknown(failure) ? pendingFor(command.id()) : pending.get(command.id());
      if (commands != null) {
        commands.attaching = false;
        commands.abandonAttach = isUnknown(failure) ? command : commands.abandonAttach;
        removeIfEmpty(command.id(), commands);
      }
    }
    schedule();
  }

  /**
   * Returns the pending commands of an inbox. Returns null if the limit is reached: the inbox then
   * stays attached until its client reconnects or this incarnation of the node ends.
   */
  private @Nullable Pending pendingFor(InboxId id) {
    Pending commands = pending.get(id);
    if (commands == null && pending.size() < settings.maxPendingDetaches()) {
      commands = new Pending();
      pending.put(id, commands);
    }
    return commands;
  }

  private static boolean isTemporary(Throwable failure) {
    return failure instanceof RangeException
        && !OperationException.isAny(
            failure, RangeException.Kind.CLOSED, RangeException.Kind.TOO_LARGE);
  }

  private static boolean isUnknown(Throwable failure) {
    return isTemporary(failure) && !OperationException.isAny(failure, RangeException.Kind.BUSY);
  }

  private void schedule() {
    synchronized (lock) {
      if (closed || scheduled || pending.isEmpty()) {
        return;
      }
      scheduled = true;
    }
    timers.schedule(settings.detachRetryInterval().toMillis(), this::runRound);
  }

  private void runRound() {
    CompletableFuture<?>[] attempts =
        nextAttempts().stream().map(this::attempt).toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(attempts)
        .whenComplete(
            (all, none) -> {
              synchronized (lock) {
                scheduled = false;
              }
              schedule();
            });
  }

  /**
   * Selects the least recently tried inboxes, so that a range that does not respond cannot delay
   * the others.
   */
  private List<Attempt> nextAttempts() {
    synchronized (lock) {
      List<Attempt> attempts = new ArrayList<>();
      for (InboxId id : pending.keySet().stream().limit(MAX_ATTEMPTS).toList()) {
        Pending commands = pending.remove(id);
        pending.put(id, commands);
        InboxCommand command = commands.next();
        if (command != null) {
          commands.sent = new CompletableFuture<>();
          attempts.add(new Attempt(id, command, commands.sent));
        }
      }
      return attempts;
    }
  }

  private CompletableFuture<?> attempt(Attempt attempt) {
    CompletableFuture<Void> response = send.apply(attempt.command);
    attempt.sent.complete(null);
    return response.handle(
        (done, failure) -> {
          if (failure == null || !isTemporary(OperationException.unwrap(failure))) {
            onAttemptFinished(attempt);
          }
          return null;
        });
  }

  private void onAttemptFinished(Attempt attempt) {
    synchronized (lock) {
      Pending commands = pending.get(attempt.id);
      if (commands != null) {
        commands.detach = commands.detach == attempt.command ? null : commands.detach;
        commands.abandonAttach =
            commands.abandonAttach == attempt.command ? null : commands.abandonAttach;
        removeIfEmpty(attempt.id, commands);
      }
    }
  }

  private void removeIfEmpty(InboxId id, Pending commands) {
    if (commands.detach == null && commands.abandonAttach == null && !commands.attaching) {
      pending.remove(id);
    }
  }

  /** Stops all retries. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
  }
}
