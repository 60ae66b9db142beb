package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends a client's commands to one range, in order: those that come while a batch is in the air
 * make the next one. A batch is repeated under its number until its outcome is known or its
 * deadline has passed. Thread-safe.
 */
final class MutationBatcher {
  /*
   * All decisions are made under the lock and end in one of two fields: `ready` (a batch to send
   * now) or nothing. Sending and completing futures happen outside the lock, because both may call
   * back into this object on the same stack: drive() sends what is ready until nothing is, and only
   * one thread does so at a time.
   */
  private final Shared shared;
  private final Object lock = new Object();

  // Guarded by lock.
  private RangeDescriptor descriptor;
  private LeaderGuess leader;
  private final ArrayDeque<PendingCommand> queue = new ArrayDeque<>();
  private long queuedBytes;
  private @Nullable Batch inFlight;
  private @Nullable Batch ready;
  private boolean driving;

  /** While set nothing is taken in or sent: the commands are being given to other ranges. */
  private boolean frozen;

  private @Nullable RangeException closed;

  /** The number the range knows us by; 0 while it knows us not. */
  private long sender;

  private long lastNumber;
  private int failedAttempts;
  private String lastFailure = "";
  private boolean storageFailed;

  /** Read by queries without the lock. */
  private volatile long seenIndex;

  /** What the batchers of a client share. */
  record Shared(
      RangeTransport transport,
      Timers timers,
      RangeClientSettings settings,
      RangeObserver observer,
      Rerouting rerouting) {}

  /** Takes what a range says about its new shape; called without locks. */
  interface Rerouting {
    void reshaped(List<RangeDescriptor> current);

    /** Something is in the air from now on: deadlines have to be watched. */
    void watch();
  }

  MutationBatcher(RangeDescriptor descriptor, Shared shared) {
    this.descriptor = descriptor;
    this.leader = LeaderGuess.first(descriptor);
    this.shared = shared;
  }

  long seenIndex() {
    return seenIndex;
  }

  LeaderGuess leader() {
    synchronized (lock) {
      return leader;
    }
  }

  /** A query learned that another node leads. */
  void leaderMoved(LeaderGuess from, @Nullable NodeId hint) {
    synchronized (lock) {
      if (leader == from) {
        leader = from.after(hint);
      }
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
      refusal = closed != null ? closed : refusalIfFull(command);
      if (refusal == null) {
        enqueue(command);
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

  private @Nullable RangeException refusalIfFull(PendingCommand command) {
    RangeClientSettings settings = shared.settings();
    if (queue.size() < settings.maxQueuedCommands()
        && queuedBytes + command.bytes().length <= settings.maxQueuedBytes()) {
      return null;
    }
    shared.observer().refusedBusy(descriptor.id());
    return new RangeException(
        RangeException.Kind.BUSY,
        queue.size() + " commands wait for range " + descriptor.id() + ", try again later");
  }

  private void enqueue(PendingCommand command) {
    queue.add(command);
    queuedBytes += command.bytes().length;
  }

  /** Makes waiting commands the next batch, if nothing is in the air. */
  private void startNext() {
    if (inFlight != null || frozen || queue.isEmpty()) {
      return;
    }
    RangeClientSettings settings = shared.settings();
    List<PendingCommand> commands = new ArrayList<>();
    long bytes = RangeEntry.MUTATIONS_OVERHEAD;
    while (!queue.isEmpty() && commands.size() < settings.maxBatchCommands()) {
      int more = queue.element().bytes().length + RangeEntry.COMMAND_OVERHEAD;
      if (!commands.isEmpty() && bytes + more > settings.maxBatchBytes()) {
        break;
      }
      bytes += more;
      PendingCommand command = queue.remove();
      queuedBytes -= command.bytes().length;
      commands.add(command);
    }
    Batch batch = new Batch(commands, System.nanoTime());
    if (sender != 0) {
      batch.number(++lastNumber);
    }
    failedAttempts = 0;
    storageFailed = false;
    inFlight = batch;
    ready = batch;
    shared.observer().batchSent(descriptor.id(), commands.size(), bytes);
  }

  private record Sending(Batch batch, int attempt, LeaderGuess leader, byte[] entry) {}

  private void drive() {
    while (true) {
      Sending sending = nextToSend();
      if (sending == null) {
        return;
      }
      shared.rerouting().watch();
      try {
        shared
            .transport()
            .propose(
                sending.leader.node(),
                descriptor().id(),
                sending.entry,
                result -> replied(sending.batch, sending.attempt, sending.leader, result));
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
      batch.beginAttempt(shared.timers().nowMillis());
      byte[] entry =
          sender == 0
              ? RangeEntry.encodeRegister()
              : RangeEntry.encodeMutations(
                  descriptor.epoch().version(), sender, batch.number(), batch.bytes());
      return new Sending(batch, batch.attempt(), leader, entry);
    }
  }

  private RangeDescriptor descriptor() {
    synchronized (lock) {
      return descriptor;
    }
  }

  /** What is left to do about a reply once the lock is free. */
  private interface Consequence {
    void run();
  }

  private static final Consequence NOTHING = () -> {};

  private void replied(Batch batch, int attempt, LeaderGuess asked, RangeResult result) {
    Consequence consequence;
    synchronized (lock) {
      // Replies can be late or doubled. A batch that is settled needs none any more; good news of
      // an older attempt is as good as that of the newest, bad news is not.
      if (batch != inFlight) {
        return;
      }
      boolean goodNews =
          result instanceof RangeResult.Applied || result instanceof RangeResult.Registered;
      if (!goodNews && attempt != batch.attempt()) {
        return;
      }
      consequence = decide(batch, asked, result);
    }
    consequence.run();
    drive();
  }

  private Consequence decide(Batch batch, LeaderGuess asked, RangeResult result) {
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
      return retryLater(batch, "busy: " + busy.reason());
    } else if (result instanceof RangeResult.OutcomeUnknown unknown) {
      batch.becomeUncertain();
      return retryLater(batch, "outcome unknown: " + unknown.reason());
    } else if (result instanceof RangeResult.StorageFailed failed) {
      batch.becomeUncertain();
      storageFailed = true;
      return retryLater(batch, "storage failed: " + failed.reason());
    } else if (result instanceof RangeResult.Unavailable unavailable) {
      leader = asked.after(null);
      return retryLater(batch, "unavailable: " + unavailable.reason());
    }
    throw new IllegalStateException("a query's answer to a batch: " + result);
  }

  private Consequence applied(Batch batch, RangeResult.Applied applied) {
    settle();
    seenIndex = Math.max(seenIndex, applied.index());
    return () -> {
      shared.observer().batchDone(descriptor().id(), System.nanoTime() - batch.firstSentNanos());
      List<PendingCommand> commands = batch.commands();
      for (int i = 0; i < commands.size(); i++) {
        commands.get(i).complete(applied.answers().get(i));
      }
      next();
    };
  }

  private void settle() {
    inFlight = null;
    ready = null;
    failedAttempts = 0;
  }

  /** Waiting commands go out only after the futures before them are complete: order is kept. */
  private void next() {
    synchronized (lock) {
      startNext();
    }
    drive();
  }

  private Consequence registered(Batch batch, RangeResult.Registered registered) {
    if (sender == 0) { // else a doubled registration, which is left unused
      sender = registered.sender();
      lastNumber = 1;
      batch.number(1);
      ready = batch;
    }
    return NOTHING;
  }

  private Consequence redirected(Batch batch, LeaderGuess asked, @Nullable NodeId hint) {
    shared.observer().redirected(descriptor.id());
    boolean atOnce = asked.isBetter(hint) && failedAttempts == 0;
    if (leader == asked) {
      leader = asked.after(hint);
    }
    if (!atOnce) {
      return retryLater(batch, "no leader known at " + asked.node());
    }
    failedAttempts++;
    ready = batch;
    return NOTHING;
  }

  /** The batch was not applied, and under its number it never will be. */
  private Consequence reshaped(Batch batch, List<RangeDescriptor> current) {
    shared.observer().redirected(descriptor.id());
    for (int i = batch.commands().size() - 1; i >= 0; i--) {
      PendingCommand command = batch.commands().get(i);
      queue.addFirst(command);
      queuedBytes += command.bytes().length;
    }
    settle();
    RangeDescriptor routedBy = descriptor;
    return () -> {
      shared.rerouting().reshaped(current);
      if (descriptor() == routedBy) { // the replica lags behind what we know: give it time
        shared.timers().schedule(shared.settings().backoffMillis(1), this::next);
      } else {
        next();
      }
    };
  }

  private Consequence forgotten(Batch batch) {
    sender = 0;
    if (batch.uncertain()) {
      return giveUp(batch, "the range no longer knows this client");
    }
    ready = batch; // registers first
    return NOTHING;
  }

  private Consequence retryLater(Batch batch, String reason) {
    failedAttempts++;
    lastFailure = reason;
    shared.observer().retried(descriptor.id(), reason);
    int attempt = batch.attempt();
    long pause = shared.settings().backoffMillis(failedAttempts);
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

  private Consequence giveUp(Batch batch, String reason) {
    settle();
    shared.observer().gaveUp(descriptor.id());
    RangeException.Kind kind =
        storageFailed ? RangeException.Kind.STORAGE_FAILED : RangeException.Kind.UNAVAILABLE;
    RangeException failure =
        new RangeException(kind, "range " + descriptor.id() + " did not answer: " + reason);
    return () -> {
      batch.commands().forEach(command -> command.fail(failure));
      next();
    };
  }

  /**
   * Gives up what is too late and repeats attempts that got no reply.
   *
   * @return whether something is in the air
   */
  boolean watch(long nowMillis) {
    Consequence consequence;
    synchronized (lock) {
      Batch batch = inFlight;
      if (batch == null) {
        return false;
      }
      if (nowMillis >= batch.deadlineMillis()) {
        consequence = giveUp(batch, lastFailure.isEmpty() ? "no reply" : lastFailure);
      } else if (isOverdue(batch, nowMillis)) {
        batch.becomeUncertain();
        lastFailure = "no reply from " + leader.node();
        shared.observer().retried(descriptor.id(), "no reply");
        leader = leader.after(null);
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

  /** A batch that waits for its back-off is sent again long before this. */
  private boolean isOverdue(Batch batch, long nowMillis) {
    return ready == null
        && nowMillis - batch.attemptedAtMillis() >= shared.settings().attemptTimeout().toMillis();
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
      List<PendingCommand> commands = new ArrayList<>(queue);
      queue.clear();
      queuedBytes = 0;
      return commands;
    }
  }

  /** Adds commands that came from another range, before {@link #resume}. */
  void adopt(PendingCommand command) {
    synchronized (lock) {
      enqueue(command);
    }
  }

  /** Goes on with the range's present shape. */
  void resume(RangeDescriptor current) {
    synchronized (lock) {
      if (!current.replicas().equals(descriptor.replicas())) {
        leader = LeaderGuess.first(current);
      }
      descriptor = current;
      frozen = false;
    }
    next();
  }

  /** Fails everything that waits or is in the air, and what is offered later. */
  void close(RangeException cause) {
    List<PendingCommand> commands = new ArrayList<>();
    synchronized (lock) {
      closed = cause;
      if (inFlight != null) {
        commands.addAll(inFlight.commands());
      }
      commands.addAll(queue);
      queue.clear();
      queuedBytes = 0;
      settle();
    }
    commands.forEach(command -> command.fail(cause));
  }

  ClientStatus.RangeQueue status() {
    synchronized (lock) {
      int sent = inFlight == null ? 0 : inFlight.commands().size();
      return new ClientStatus.RangeQueue(
          descriptor.id(), leader.node(), queue.size(), queuedBytes, sent, failedAttempts);
    }
  }
}
