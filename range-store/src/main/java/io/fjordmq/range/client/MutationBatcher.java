package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a client's commands to one range, in order. Commands that arrive while a batch is in
 * flight, or shortly after a batch to a busy range, form the next batch. A batch is resent under
 * its number until its outcome is known or its deadline passes. In the latter case the commands
 * queued behind it also fail: otherwise they could be applied before the failed ones, which callers
 * may repeat. Thread-safe.
 */
final class MutationBatcher {
  /*
   * Decisions are made under the lock; their result is the field `ready`, a batch to send now, or
   * null. Batches are sent and futures completed outside the lock, because both can call back into
   * this object on the same stack. drive() sends until nothing is ready, on one thread at a time.
   */
  private static final Runnable NO_OP = () -> {};

  private final ClientDependencies shared;
  private final RangeId id;
  private final Object lock = new Object();

  // Guarded by lock, except that the descriptor is also read without it.
  private volatile RangeDescriptor descriptor;
  private final BatchAttempts attempts;
  private final CommandQueue queue;
  private @Nullable CommandBatch inFlight;
  private @Nullable CommandBatch ready;
  private boolean driving;

  /** While set, nothing is accepted or sent, because the commands are moving to other ranges. */
  private boolean frozen;

  private @Nullable RangeException closeCause;

  private final SenderNumber sender;
  private final BatchPacer pacer;

  /** Read by queries without the lock. */
  private volatile long knownAppliedIndex;

  MutationBatcher(RangeDescriptor descriptor, ClientDependencies shared) {
    this.id = descriptor.id();
    this.descriptor = descriptor;
    this.attempts = new BatchAttempts(descriptor);
    this.shared = shared;
    this.queue = new CommandQueue(id, shared);
    this.pacer = new BatchPacer(shared.settings(), shared.timers(), this::sendNext);
    this.sender = new SenderNumber(shared.settings());
  }

  long knownAppliedIndex() {
    return knownAppliedIndex;
  }

  LeaderHint leader() {
    synchronized (lock) {
      return attempts.leader();
    }
  }

  /** Must be called when a query has found that another node leads. */
  void onLeaderChanged(LeaderHint from, @Nullable NodeId hint) {
    synchronized (lock) {
      attempts.onNotLeader(from, hint);
    }
  }

  /**
   * Queues a command, or fails it if the {@link CommandQueue} refuses it.
   *
   * @return false if the range has changed since the caller looked it up, so that the caller must
   *     look it up again
   */
  boolean offer(PendingCommand command, RangeDescriptor routedBy) {
    RangeException refusal;
    synchronized (lock) {
      if (frozen || descriptor != routedBy) {
        return false;
      }
      refusal = closeCause != null ? closeCause : queue.refusal(command);
      if (refusal == null) {
        queue.add(command);
        startNext();
      }
    }
    if (refusal == null) {
      drive();
    } else {
      command.fail(refusal);
    }
    return true;
  }

  /** Forms the next batch from queued commands, unless one is in flight or the pacer delays it. */
  private void startNext() {
    if (inFlight != null || frozen || queue.isEmpty() || pacer.mustWait(queue.size())) {
      return;
    }
    CommandBatch batch = new CommandBatch(queue.takeBatch(), System.nanoTime());
    pacer.onBatchStarted(batch.commands().size());
    if (pacer.isBusy() && batch.commands().size() < shared.settings().flushCommands()) {
      batch.allowDeferring();
    }
    sender.forgetIfIdle(shared.timers().nowMillis());
    if (!sender.isUnknown()) {
      batch.assignNumber(sender.nextBatch());
    }
    attempts.begin();
    ready = batch;
    inFlight = batch;
    shared.observer().onBatchSent(id, batch.commands().size(), batch.commandBytes());
  }

  private record SendAttempt(CommandBatch batch, int attempt, LeaderHint leader, byte[] entry) {
    Consumer<RangeResult> responseHandler(MutationBatcher batcher) {
      return result -> batcher.onReply(batch, attempt, leader, result);
    }
  }

  private void drive() {
    for (SendAttempt sending = nextToSend(); sending != null; sending = nextToSend()) {
      shared.client().watchDeadlines();
      try {
        shared
            .transport()
            .propose(sending.leader.node(), id, sending.entry, sending.responseHandler(this));
      } finally {
        synchronized (lock) {
          driving = false;
        }
      }
    }
  }

  private @Nullable SendAttempt nextToSend() {
    synchronized (lock) {
      CommandBatch batch = ready;
      if (batch == null || driving) {
        return null;
      }
      ready = null;
      driving = true;
      long nowMillis = shared.timers().nowMillis();
      batch.beginAttempt(nowMillis);
      sender.recordAttempt(nowMillis);
      byte[] entry = sender.entry(batch, descriptor.epoch().version());
      return new SendAttempt(batch, batch.attempt(), attempts.leader(), entry);
    }
  }

  private void onReply(CommandBatch batch, int attempt, LeaderHint target, RangeResult result) {
    Runnable followUp;
    synchronized (lock) {
      // Replies can be late or duplicated. A settled batch ignores them. A success counts for any
      // attempt, a failure only for the latest one.
      boolean success =
          result instanceof RangeResult.Applied || result instanceof RangeResult.Registered;
      if (batch != inFlight || (!success && attempt != batch.attempt())) {
        return;
      }
      followUp = handleResult(batch, target, result);
    }
    followUp.run();
    drive();
  }

  /** Returns the work to do after releasing the lock. */
  private Runnable handleResult(CommandBatch batch, LeaderHint target, RangeResult result) {
    if (result instanceof RangeResult.Applied applied) {
      return onApplied(batch, applied);
    } else if (result instanceof RangeResult.Registered registered) {
      return onRegistered(batch, registered);
    } else if (result instanceof RangeResult.NotLeader notLeader) {
      return onRedirected(batch, target, notLeader.leader());
    } else if (result instanceof RangeResult.StaleEpoch stale) {
      return onStaleEpoch(batch, stale.current());
    } else if (result instanceof RangeResult.SenderEvicted) {
      return onSenderEvicted(batch);
    } else if (result instanceof RangeResult.OutdatedBatch) {
      return abandon(batch, "a later batch has already been applied");
    } else if (result instanceof RangeResult.Busy busy) {
      return retryAfter(batch, "busy: " + busy.reason());
    } else if (result instanceof RangeResult.OutcomeUnknown unknown) {
      attempts.onNotLeader(target, null); // unresponsive or deposed: try the other replicas
      return retryAfter(batch, "outcome unknown: " + unknown.reason());
    } else if (result instanceof RangeResult.StorageFailed failed) {
      attempts.onStorageFailure();
      return retryAfter(batch, "storage failed: " + failed.reason());
    } else if (result instanceof RangeResult.Unavailable unavailable) {
      attempts.onNotLeader(target, null);
      return retryAfter(batch, "unavailable: " + unavailable.reason());
    }
    throw new IllegalStateException(
        "unexpected response to a batch for range " + id + ": " + result);
  }

  private Runnable onApplied(CommandBatch batch, RangeResult.Applied applied) {
    List<PendingCommand> commands = batch.commands();
    List<byte[]> responses = applied.responses();
    queue.putBack(commands.subList(responses.size(), commands.size()));
    clearInFlight();
    pacer.onBatchApplied(!queue.isEmpty(), applied.nextBatchMicros());
    knownAppliedIndex = Math.max(knownAppliedIndex, applied.index());
    return () -> {
      shared.observer().onBatchApplied(id, System.nanoTime() - batch.firstSentNanos());
      for (int i = 0; i < responses.size(); i++) {
        commands.get(i).complete(responses.get(i));
      }
      shared.client().onSettled(id);
      sendNext();
    };
  }

  private void clearInFlight() {
    inFlight = null;
    ready = null;
  }

  /** Sends queued commands; called after completing earlier futures, which keeps the order. */
  void sendNext() {
    synchronized (lock) {
      startNext();
    }
    drive();
  }

  private Runnable onRegistered(CommandBatch batch, RangeResult.Registered registered) {
    if (sender.isUnknown()) { // otherwise a duplicate registration, whose number stays unused
      sender.assign(registered.sender());
      batch.assignNumber(sender.nextBatch());
      ready = batch;
    }
    return NO_OP;
  }

  private Runnable onRedirected(CommandBatch batch, LeaderHint target, @Nullable NodeId hint) {
    shared.observer().onRedirect(id);
    boolean retryNow = target.isAnotherReplica(hint) && attempts.failedAttempts() == 0;
    attempts.onNotLeader(target, hint);
    if (!retryNow) {
      return retryAfter(batch, "node " + target.node() + " does not lead the range");
    }
    attempts.recordFailure("redirected by node " + target.node());
    ready = batch;
    return NO_OP;
  }

  /**
   * Handles the rejection of a batch because of a stale epoch. The batch was not applied and never
   * will be under its current number.
   */
  private Runnable onStaleEpoch(CommandBatch batch, List<RangeDescriptor> current) {
    shared.observer().onRedirect(id);
    queue.putBack(batch.commands());
    clearInFlight();
    RangeDescriptor routedBy = descriptor;
    return () -> {
      shared.client().onNewDescriptors(current);
      if (descriptor == routedBy) { // the replica lags behind our descriptor: give it time
        shared.timers().schedule(shared.settings().backoffMillis(1), this::sendNext);
      } else {
        sendNext();
      }
    };
  }

  /**
   * Gives up on a batch whose sender was evicted. The batch may already have been applied, so it
   * must not be resent under a new number.
   */
  private Runnable onSenderEvicted(CommandBatch batch) {
    sender.forget();
    return abandon(
        batch,
        "the range no longer tracks this sender, so it cannot detect a duplicate; outcome unknown");
  }

  private Runnable retryAfter(CommandBatch batch, String failure) {
    attempts.recordFailure(failure);
    shared.observer().onRetry(id, failure);
    int attempt = batch.attempt();
    long pause = attempts.nextPauseMillis(shared.settings());
    return () -> shared.timers().schedule(pause, () -> retry(batch, attempt));
  }

  private void retry(CommandBatch batch, int failedAttempt) {
    synchronized (lock) {
      if (batch == inFlight && failedAttempt == batch.attempt() && ready == null) {
        ready = batch;
      }
    }
    drive();
  }

  /** Fails the batch, then the commands behind it, and gives callers time to stop sending. */
  private Runnable abandon(CommandBatch batch, @Nullable String reason) {
    clearInFlight();
    shared.observer().onGiveUp(id);
    RangeException failure = attempts.finalFailure(descriptor, reason);
    List<PendingCommand> queued = queue.takeAll();
    queue.pause();
    return () -> {
      batch.commands().forEach(command -> command.fail(failure));
      queued.forEach(command -> command.fail(queue.abandonedBatchFailure()));
      shared.client().onSettled(id);
    };
  }

  /**
   * Gives up on a batch past its deadline, and resends one that got no reply.
   *
   * @return whether a batch is in flight
   */
  boolean checkDeadline(long nowMillis) {
    Runnable followUp;
    synchronized (lock) {
      CommandBatch batch = inFlight;
      if (batch == null) {
        return false;
      }
      if (nowMillis >= batch.deadlineMillis()) {
        followUp = abandon(batch, null);
      } else if (ready == null && batch.isOverdue(nowMillis, shared.settings())) {
        attempts.recordFailure("no response from node " + attempts.leader().node());
        attempts.onNotLeader(attempts.leader(), null);
        shared.observer().onRetry(id, "no response");
        ready = batch;
        followUp = NO_OP;
      } else {
        return true;
      }
    }
    followUp.run();
    drive();
    return true;
  }

  /**
   * Removes the queued commands, which will move to other ranges, and accepts no more until {@link
   * #resume}. Returns null if a batch is in flight, because its outcome must be known first.
   */
  @Nullable List<PendingCommand> freeze() {
    synchronized (lock) {
      if (inFlight != null) {
        return null;
      }
      frozen = true;
      return queue.takeAll();
    }
  }

  /** Returns whether a batch is in flight. */
  boolean isBusy() {
    synchronized (lock) {
      return inFlight != null;
    }
  }

  /**
   * Sends to the replicas of this descriptor from now on; the batch in flight keeps its interval
   * and epoch.
   */
  void useReplicas(RangeDescriptor current) {
    synchronized (lock) {
      attempts.updateReplicas(current);
    }
  }

  /** Queues a command that moved here from another range; called before {@link #resume}. */
  void adopt(PendingCommand command) {
    synchronized (lock) {
      queue.add(command);
    }
  }

  /**
   * Accepts commands for the new descriptor; then call {@link #sendNext}. Keeps a batch in flight.
   */
  void resume(RangeDescriptor current) {
    synchronized (lock) {
      attempts.updateReplicas(current);
      descriptor = current;
      frozen = false;
    }
  }

  /** Fails all commands: queued, in flight and offered later. */
  void close(RangeException cause) {
    List<PendingCommand> commands = new ArrayList<>();
    synchronized (lock) {
      closeCause = cause;
      if (inFlight != null) {
        commands.addAll(inFlight.commands());
      }
      commands.addAll(queue.takeAll());
      clearInFlight();
    }
    commands.forEach(command -> command.fail(cause));
  }

  ClientStatus.RangeQueue status() {
    synchronized (lock) {
      int sent = inFlight == null ? 0 : inFlight.commands().size();
      return new ClientStatus.RangeQueue(
          id,
          attempts.leader().node(),
          queue.size(),
          queue.bytes(),
          sent,
          attempts.failedAttempts());
    }
  }
}
