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
 * Sends a client's commands to one range, in order: those that come while a batch is in the air, or
 * shortly after one of a busy range, make the next one. A batch is repeated under its number until
 * its outcome is known or its deadline has passed; then what waits behind it is refused with it,
 * lest it is applied and the batch, repeated by those who asked, comes after it. Thread-safe.
 */
final class MutationBatcher {
  /*
   * All decisions are made under the lock and end in one of two fields: `ready` (a batch to send
   * now) or nothing. Sending and completing futures happen outside the lock, because both may call
   * back into this object on the same stack: drive() sends what is ready until nothing is, and only
   * one thread does so at a time.
   */
  private static final Runnable NOTHING = () -> {};

  private final ClientParts shared;
  private final RangeId id;
  private final Object lock = new Object();

  // Guarded by lock; the descriptor is also read without it.
  private volatile RangeDescriptor descriptor;
  private final BatchAttempts batchAttempts;
  private final CommandQueue queue;
  private final CommandAdmission commandAdmission;
  private @Nullable CommandBatch inFlight;
  private @Nullable CommandBatch ready;
  private boolean driving;

  /** While set nothing is taken in or sent: the commands are being given to other ranges. */
  private boolean frozen;

  private @Nullable RangeException closed;

  private final SenderNumber sender;
  private final BatchPacer pace;

  /** Read by queries without the lock. */
  private volatile long seenIndex;

  MutationBatcher(RangeDescriptor descriptor, ClientParts shared) {
    this.id = descriptor.id();
    this.descriptor = descriptor;
    this.batchAttempts = new BatchAttempts(descriptor);
    this.shared = shared;
    this.queue = new CommandQueue(shared.settings());
    this.commandAdmission = new CommandAdmission(id, queue, shared);
    this.pace = new BatchPacer(shared.settings(), shared.timers(), this::next);
    this.sender = new SenderNumber(shared.settings());
  }

  long seenIndex() {
    return seenIndex;
  }

  LeaderHint leader() {
    synchronized (lock) {
      return batchAttempts.leader();
    }
  }

  /** A query learned that another node leads. */
  void leaderMoved(LeaderHint from, @Nullable NodeId hint) {
    synchronized (lock) {
      batchAttempts.notLedBy(from, hint);
    }
  }

  /**
   * Takes a command in, or fails it because too much waits.
   *
   * @return false if the range was reshaped since the caller looked it up: look again
   */
  boolean offer(PendingCommand command, RangeDescriptor routedBy) {
    RangeException refusal;
    synchronized (lock) {
      if (frozen || descriptor != routedBy) {
        return false;
      }
      refusal = closed != null ? closed : commandAdmission.refusal(command);
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

  /** Makes waiting commands the next batch, if nothing is in the air and it is time. */
  private void startNext() {
    if (inFlight != null || frozen || queue.isEmpty() || pace.mustWait(queue.size())) {
      return;
    }
    CommandBatch commandBatch = new CommandBatch(queue.takeBatch(), System.nanoTime());
    pace.started(commandBatch.commands().size());
    sender.use(shared.timers().nowMillis());
    if (!sender.isUnknown()) {
      commandBatch.number(sender.nextBatch());
    }
    batchAttempts.begin();
    ready = commandBatch;
    inFlight = commandBatch;
    shared.observer().batchSent(id, commandBatch.commands().size(), commandBatch.commandBytes());
  }

  private record Sending(CommandBatch commandBatch, int attempt, LeaderHint leader, byte[] entry) {
    Consumer<RangeResult> replyTo(MutationBatcher batcher) {
      return result -> batcher.replied(commandBatch, attempt, leader, result);
    }
  }

  private void drive() {
    for (Sending sending = nextToSend(); sending != null; sending = nextToSend()) {
      shared.client().watch();
      try {
        shared.transport().propose(sending.leader.node(), id, sending.entry, sending.replyTo(this));
      } finally {
        synchronized (lock) {
          driving = false;
        }
      }
    }
  }

  private @Nullable Sending nextToSend() {
    synchronized (lock) {
      CommandBatch commandBatch = ready;
      if (commandBatch == null || driving) {
        return null;
      }
      ready = null;
      driving = true;
      long nowMillis = shared.timers().nowMillis();
      commandBatch.beginAttempt(nowMillis);
      sender.attempted(nowMillis);
      byte[] entry = sender.entry(commandBatch, descriptor.epoch().version());
      return new Sending(commandBatch, commandBatch.attempt(), batchAttempts.leader(), entry);
    }
  }

  private void replied(
      CommandBatch commandBatch, int attempt, LeaderHint asked, RangeResult result) {
    Runnable consequence;
    synchronized (lock) {
      // Replies can be late or doubled. A batch that is settled needs none any more; good news of
      // an older attempt is as good as that of the newest, bad news is not.
      boolean good =
          result instanceof RangeResult.Applied || result instanceof RangeResult.Registered;
      if (commandBatch != inFlight || (!good && attempt != commandBatch.attempt())) {
        return;
      }
      consequence = decide(commandBatch, asked, result);
    }
    consequence.run();
    drive();
  }

  /** Returns what is left to do once the lock is free. */
  private Runnable decide(CommandBatch commandBatch, LeaderHint asked, RangeResult result) {
    if (result instanceof RangeResult.Applied applied) {
      return applied(commandBatch, applied);
    } else if (result instanceof RangeResult.Registered registered) {
      return registered(commandBatch, registered);
    } else if (result instanceof RangeResult.NotLeader elsewhere) {
      return redirected(commandBatch, asked, elsewhere.leader());
    } else if (result instanceof RangeResult.StaleEpoch stale) {
      return reshaped(commandBatch, stale.current());
    } else if (result instanceof RangeResult.SenderForgotten) {
      return forgotten(commandBatch);
    } else if (result instanceof RangeResult.Outdated) {
      return giveUp(commandBatch, "a later batch is applied already");
    } else if (result instanceof RangeResult.Busy busy) {
      return retryAfter(commandBatch, "busy: " + busy.reason());
    } else if (result instanceof RangeResult.OutcomeUnknown unknown) {
      batchAttempts.notLedBy(asked, null); // silent or deposed: the others know who leads
      return retryAfter(commandBatch, "outcome unknown: " + unknown.reason());
    } else if (result instanceof RangeResult.StorageFailed failed) {
      batchAttempts.storageFailed();
      return retryAfter(commandBatch, "storage failed: " + failed.reason());
    } else if (result instanceof RangeResult.Unavailable unavailable) {
      batchAttempts.notLedBy(asked, null);
      return retryAfter(commandBatch, "unavailable: " + unavailable.reason());
    }
    throw new IllegalStateException("a query's answer to a batch: " + result);
  }

  private Runnable applied(CommandBatch commandBatch, RangeResult.Applied applied) {
    List<PendingCommand> commands = commandBatch.commands();
    List<byte[]> answers = applied.answers();
    queue.putBack(commands.subList(answers.size(), commands.size()));
    settle();
    seenIndex = Math.max(seenIndex, applied.index());
    return () -> {
      shared.observer().batchDone(id, System.nanoTime() - commandBatch.firstSentNanos());
      for (int i = 0; i < answers.size(); i++) {
        commands.get(i).complete(answers.get(i));
      }
      shared.client().settled(id);
      next();
    };
  }

  private void settle() {
    inFlight = null;
    ready = null;
  }

  /** Waiting commands go out only after the futures before them are complete: order is kept. */
  void next() {
    synchronized (lock) {
      startNext();
    }
    drive();
  }

  private Runnable registered(CommandBatch commandBatch, RangeResult.Registered registered) {
    if (sender.isUnknown()) { // else a doubled registration, which is left unused
      sender.registered(registered.sender());
      commandBatch.number(sender.nextBatch());
      ready = commandBatch;
    }
    return NOTHING;
  }

  private Runnable redirected(CommandBatch commandBatch, LeaderHint asked, @Nullable NodeId hint) {
    shared.observer().redirected(id);
    boolean atOnce = asked.isBetter(hint) && batchAttempts.failed() == 0;
    batchAttempts.notLedBy(asked, hint);
    if (!atOnce) {
      return retryAfter(commandBatch, "no leader known at " + asked.node());
    }
    batchAttempts.failed("redirected by " + asked.node());
    ready = commandBatch;
    return NOTHING;
  }

  /** The batch was not applied, and under its number it never will be. */
  private Runnable reshaped(CommandBatch commandBatch, List<RangeDescriptor> current) {
    shared.observer().redirected(id);
    queue.putBack(commandBatch.commands());
    settle();
    RangeDescriptor routedBy = descriptor;
    return () -> {
      shared.client().reshaped(current);
      if (descriptor == routedBy) { // the replica lags behind what we know: give it time
        shared.timers().schedule(shared.settings().backoffMillis(1), this::next);
      } else {
        next();
      }
    };
  }

  /** It may have been applied before the range forgot us: under a new name it would be again. */
  private Runnable forgotten(CommandBatch commandBatch) {
    sender.forgotten();
    return giveUp(commandBatch, "the range no longer knows this client");
  }

  private Runnable retryAfter(CommandBatch commandBatch, String failure) {
    batchAttempts.failed(failure);
    shared.observer().retried(id, failure);
    int attempt = commandBatch.attempt();
    long pause = batchAttempts.takePauseMillis(shared.settings());
    return () -> shared.timers().schedule(pause, () -> retry(commandBatch, attempt));
  }

  private void retry(CommandBatch commandBatch, int failedAttempt) {
    synchronized (lock) {
      if (commandBatch == inFlight && failedAttempt == commandBatch.attempt() && ready == null) {
        ready = commandBatch;
      }
    }
    drive();
  }

  /** Whoever sends in order is told in order, and has a moment to stop sending. */
  private Runnable giveUp(CommandBatch commandBatch, @Nullable String reason) {
    settle();
    shared.observer().gaveUp(id);
    RangeException failure = batchAttempts.giveUp(descriptor, reason);
    List<PendingCommand> behind = queue.takeAll();
    commandAdmission.pause();
    return () -> {
      commandBatch.commands().forEach(command -> command.fail(failure));
      behind.forEach(command -> command.fail(commandAdmission.afterLostBatch()));
      shared.client().settled(id);
    };
  }

  /**
   * Gives up what is too late and repeats attempts that got no reply.
   *
   * @return whether something is in the air
   */
  boolean watch(long nowMillis) {
    Runnable consequence;
    synchronized (lock) {
      CommandBatch commandBatch = inFlight;
      if (commandBatch == null) {
        return false;
      }
      if (nowMillis >= commandBatch.deadlineMillis()) {
        consequence = giveUp(commandBatch, null);
      } else if (ready == null && commandBatch.isOverdue(nowMillis, shared.settings())) {
        batchAttempts.failed("no reply from " + batchAttempts.leader().node());
        batchAttempts.notLedBy(batchAttempts.leader(), null);
        shared.observer().retried(id, "no reply");
        ready = commandBatch;
        consequence = NOTHING;
      } else {
        return true;
      }
    }
    consequence.run();
    drive();
    return true;
  }

  /**
   * Takes the waiting commands out to be given to other ranges and takes in no more until {@link
   * #resume}. Null if a batch is in the air: what became of it must be known first.
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

  /** Whether a batch is in the air. */
  boolean isBusy() {
    synchronized (lock) {
      return inFlight != null;
    }
  }

  /** The range's keys are held there now, though a batch in the air keeps its shape. */
  void askHolders(RangeDescriptor now) {
    synchronized (lock) {
      batchAttempts.among(now);
    }
  }

  /** Adds commands that came from another range, before {@link #resume}. */
  void adopt(PendingCommand command) {
    synchronized (lock) {
      queue.add(command);
    }
  }

  /** Has its present shape or replicas from {@link #next} on; a batch in the air stays as it is. */
  void resume(RangeDescriptor current) {
    synchronized (lock) {
      batchAttempts.among(current);
      descriptor = current;
      frozen = false;
    }
  }

  /** Fails everything that waits or is in the air, and what is offered later. */
  void close(RangeException cause) {
    List<PendingCommand> commands = new ArrayList<>();
    synchronized (lock) {
      closed = cause;
      if (inFlight != null) {
        commands.addAll(inFlight.commands());
      }
      commands.addAll(queue.takeAll());
      settle();
    }
    commands.forEach(command -> command.fail(cause));
  }

  ClientStatus.RangeQueue status() {
    synchronized (lock) {
      int sent = inFlight == null ? 0 : inFlight.commands().size();
      return new ClientStatus.RangeQueue(
          id,
          batchAttempts.leader().node(),
          queue.size(),
          queue.bytes(),
          sent,
          batchAttempts.failed());
    }
  }
}
