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
  private final Attempts attempts;
  private final CommandQueue queue;
  private final Intake intake;
  private @Nullable Batch inFlight;
  private @Nullable Batch ready;
  private boolean driving;

  /** While set nothing is taken in or sent: the commands are being given to other ranges. */
  private boolean frozen;

  private @Nullable RangeException closed;

  private final SenderNumber sender;
  private final BatchPace pace;

  /** Read by queries without the lock. */
  private volatile long seenIndex;

  MutationBatcher(RangeDescriptor descriptor, ClientParts shared) {
    this.id = descriptor.id();
    this.descriptor = descriptor;
    this.attempts = new Attempts(descriptor);
    this.shared = shared;
    this.queue = new CommandQueue(shared.settings());
    this.intake = new Intake(id, queue, shared);
    this.pace = new BatchPace(shared.settings(), shared.timers(), this::next);
    this.sender = new SenderNumber(shared.settings());
  }

  long seenIndex() {
    return seenIndex;
  }

  LeaderGuess leader() {
    synchronized (lock) {
      return attempts.leader();
    }
  }

  /** A query learned that another node leads. */
  void leaderMoved(LeaderGuess from, @Nullable NodeId hint) {
    synchronized (lock) {
      attempts.notLedBy(from, hint);
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
      refusal = closed != null ? closed : intake.refusal(command);
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
    Batch batch = new Batch(queue.takeBatch(), System.nanoTime());
    pace.started(batch.commands().size());
    sender.use(shared.timers().nowMillis());
    if (!sender.isUnknown()) {
      batch.number(sender.nextBatch());
    }
    attempts.begin();
    ready = batch;
    inFlight = batch;
    shared.observer().batchSent(id, batch.commands().size(), batch.commandBytes());
  }

  private record Sending(Batch batch, int attempt, LeaderGuess leader, byte[] entry) {
    Consumer<RangeResult> replyTo(MutationBatcher batcher) {
      return result -> batcher.replied(batch, attempt, leader, result);
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
      Batch batch = ready;
      if (batch == null || driving) {
        return null;
      }
      ready = null;
      driving = true;
      long nowMillis = shared.timers().nowMillis();
      batch.beginAttempt(nowMillis);
      sender.attempted(nowMillis);
      byte[] entry = sender.entry(batch, descriptor.epoch().version());
      return new Sending(batch, batch.attempt(), attempts.leader(), entry);
    }
  }

  private void replied(Batch batch, int attempt, LeaderGuess asked, RangeResult result) {
    Runnable consequence;
    synchronized (lock) {
      // Replies can be late or doubled. A batch that is settled needs none any more; good news of
      // an older attempt is as good as that of the newest, bad news is not.
      boolean good =
          result instanceof RangeResult.Applied || result instanceof RangeResult.Registered;
      if (batch != inFlight || (!good && attempt != batch.attempt())) {
        return;
      }
      consequence = decide(batch, asked, result);
    }
    consequence.run();
    drive();
  }

  /** Returns what is left to do once the lock is free. */
  private Runnable decide(Batch batch, LeaderGuess asked, RangeResult result) {
    if (result instanceof RangeResult.Applied applied) {
      return applied(batch, applied);
    } else if (result instanceof RangeResult.Registered registered) {
      return registered(batch, registered);
    } else if (result instanceof RangeResult.NotLeader elsewhere) {
      return redirected(batch, asked, elsewhere.leader());
    } else if (result instanceof RangeResult.StaleEpoch stale) {
      return reshaped(batch, stale.current());
    } else if (result instanceof RangeResult.SenderForgotten) {
      return forgotten(batch);
    } else if (result instanceof RangeResult.Outdated) {
      return giveUp(batch, "a later batch is applied already");
    } else if (result instanceof RangeResult.Busy busy) {
      return retryAfter(batch, "busy: " + busy.reason());
    } else if (result instanceof RangeResult.OutcomeUnknown unknown) {
      attempts.notLedBy(asked, null); // silent or deposed: the others know who leads
      return retryAfter(batch, "outcome unknown: " + unknown.reason());
    } else if (result instanceof RangeResult.StorageFailed failed) {
      attempts.storageFailed();
      return retryAfter(batch, "storage failed: " + failed.reason());
    } else if (result instanceof RangeResult.Unavailable unavailable) {
      attempts.notLedBy(asked, null);
      return retryAfter(batch, "unavailable: " + unavailable.reason());
    }
    throw new IllegalStateException("a query's answer to a batch: " + result);
  }

  private Runnable applied(Batch batch, RangeResult.Applied applied) {
    List<PendingCommand> commands = batch.commands();
    List<byte[]> answers = applied.answers();
    queue.putBack(commands.subList(answers.size(), commands.size()));
    settle();
    seenIndex = Math.max(seenIndex, applied.index());
    return () -> {
      shared.observer().batchDone(id, System.nanoTime() - batch.firstSentNanos());
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

  private Runnable registered(Batch batch, RangeResult.Registered registered) {
    if (sender.isUnknown()) { // else a doubled registration, which is left unused
      sender.registered(registered.sender());
      batch.number(sender.nextBatch());
      ready = batch;
    }
    return NOTHING;
  }

  private Runnable redirected(Batch batch, LeaderGuess asked, @Nullable NodeId hint) {
    shared.observer().redirected(id);
    boolean atOnce = asked.isBetter(hint) && attempts.failed() == 0;
    attempts.notLedBy(asked, hint);
    if (!atOnce) {
      return retryAfter(batch, "no leader known at " + asked.node());
    }
    attempts.failed("redirected by " + asked.node());
    ready = batch;
    return NOTHING;
  }

  /** The batch was not applied, and under its number it never will be. */
  private Runnable reshaped(Batch batch, List<RangeDescriptor> current) {
    shared.observer().redirected(id);
    queue.putBack(batch.commands());
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
  private Runnable forgotten(Batch batch) {
    sender.forgotten();
    return giveUp(batch, "the range no longer knows this client");
  }

  private Runnable retryAfter(Batch batch, String failure) {
    attempts.failed(failure);
    shared.observer().retried(id, failure);
    int attempt = batch.attempt();
    long pause = attempts.takePauseMillis(shared.settings());
    return () -> shared.timers().schedule(pause, () -> retry(batch, attempt));
  }

  private void retry(Batch batch, int failedAttempt) {
    synchronized (lock) {
      if (batch == inFlight && failedAttempt == batch.attempt() && ready == null) {
        ready = batch;
      }
    }
    drive();
  }

  /** Whoever sends in order is told in order, and has a moment to stop sending. */
  private Runnable giveUp(Batch batch, @Nullable String reason) {
    settle();
    shared.observer().gaveUp(id);
    RangeException failure = attempts.giveUp(descriptor, reason);
    List<PendingCommand> behind = queue.takeAll();
    intake.pause();
    return () -> {
      batch.commands().forEach(command -> command.fail(failure));
      behind.forEach(command -> command.fail(intake.behindLost()));
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
      Batch batch = inFlight;
      if (batch == null) {
        return false;
      }
      if (nowMillis >= batch.deadlineMillis()) {
        consequence = giveUp(batch, null);
      } else if (ready == null && batch.isOverdue(nowMillis, shared.settings())) {
        attempts.failed("no reply from " + attempts.leader().node());
        attempts.notLedBy(attempts.leader(), null);
        shared.observer().retried(id, "no reply");
        ready = batch;
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
      attempts.among(now);
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
      attempts.among(current);
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
          id, attempts.leader().node(), queue.size(), queue.bytes(), sent, attempts.failed());
    }
  }
}
