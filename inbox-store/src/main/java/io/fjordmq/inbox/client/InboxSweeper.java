package io.fjordmq.inbox.client;

import io.fjordmq.common.OperationException;
import io.fjordmq.inbox.CountInboxes;
import io.fjordmq.inbox.DetachOwner;
import io.fjordmq.inbox.ExpireDue;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.Owner;
import io.fjordmq.inbox.SweepQuery;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proposes time-based changes in the ranges that this node leads. It expires sessions, makes wills
 * due, repeats announcements of due wills and of undelivered share messages, forgets idle
 * producers, detaches inboxes of nodes that are DOWN, and counts the contents of the inboxes in
 * newly opened replicas. It has no thread of its own: the caller invokes {@link #sweep} about once
 * a second. The time of the log entry decides what is due, so frequent or concurrent sweeps are
 * harmless.
 */
public final class InboxSweeper {
  private static final Logger LOG = LoggerFactory.getLogger(InboxSweeper.class);

  private final RangeClient client;
  private final Supplier<List<KeyInterval>> ledRanges;
  private final OwnerLiveness liveness;
  private final InstantSource clock;
  private final InboxSettings settings;
  private final InboxObserver observer;
  private final AtomicBoolean running = new AtomicBoolean();

  /**
   * Creates a sweeper.
   *
   * @param client client for the store {@code InboxReplicas.STORE}
   * @param ledRanges key intervals of the ranges that this node leads
   * @param liveness knows which owners are still alive
   * @param clock wall clock
   */
  public InboxSweeper(
      RangeClient client,
      Supplier<List<KeyInterval>> ledRanges,
      OwnerLiveness liveness,
      InstantSource clock,
      InboxSettings settings,
      InboxObserver observer) {
    this.client = client;
    this.ledRanges = ledRanges;
    this.liveness = liveness;
    this.clock = clock;
    this.settings = settings;
    this.observer = observer;
  }

  /**
   * Sweeps all ranges once. Never completes exceptionally, because the next sweep retries whatever
   * failed. Does nothing while an earlier sweep is running.
   */
  public CompletableFuture<Void> sweep() {
    if (!running.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(null);
    }
    final long start = System.nanoTime();
    List<KeyInterval> ranges;
    try {
      ranges = ledRanges.get();
    } catch (RuntimeException e) {
      LOG.warn("Cannot list the inbox ranges to sweep; retrying at the next interval", e);
      running.set(false);
      observer.onSweep(0, System.nanoTime() - start, false);
      return CompletableFuture.completedFuture(null);
    }
    return CompletableFuture.allOf(
            ranges.stream().map(this::sweep).toArray(CompletableFuture[]::new))
        .handle(
            (done, failure) -> {
              running.set(false);
              if (failure != null) {
                LOG.warn(
                    "Inbox sweep failed; retrying at the next interval",
                    OperationException.unwrap(failure));
              }
              observer.onSweep(ranges.size(), System.nanoTime() - start, failure == null);
              return null;
            });
  }

  private CompletableFuture<Void> sweep(KeyInterval range) {
    byte[] rangeKey = range.start();
    return client
        .query(rangeKey, new SweepQuery().encode())
        .thenCompose(response -> process(rangeKey, SweepQuery.decodeResponse(response)));
  }

  private CompletableFuture<Void> process(byte[] rangeKey, SweepQuery.Result findings) {
    CompletableFuture<Void> steps = CompletableFuture.completedFuture(null);
    for (Owner owner : findings.owners()) {
      if (!liveness.isAlive(owner.node(), owner.incarnation())) {
        LOG.info(
            "Detaching the inboxes of a node that is DOWN node={} incarnation={}",
            owner.node(),
            owner.incarnation());
        steps = steps.thenCompose(done -> detach(rangeKey, owner, new byte[0]));
      }
    }
    if (findings.earliestDueMillis() <= clock.millis()) {
      steps = steps.thenCompose(done -> expire(rangeKey, 1));
    }
    if (findings.counting()) {
      steps = steps.thenCompose(done -> count(rangeKey, 1));
    }
    return steps;
  }

  private CompletableFuture<Void> expire(byte[] rangeKey, int step) {
    ExpireDue command = new ExpireDue(settings.sweepItems(), settings.producerIdle().toMillis());
    return client
        .mutate(rangeKey, command.encode())
        .thenCompose(
            response -> {
              boolean more = response[response.length - 1] != 0;
              return more && step < settings.sweepSteps()
                  ? expire(rangeKey, step + 1)
                  : CompletableFuture.completedFuture(null);
            });
  }

  private CompletableFuture<Void> count(byte[] rangeKey, int step) {
    return client
        .mutate(rangeKey, new CountInboxes(settings.sweepItems()).encode())
        .thenCompose(done -> client.query(rangeKey, new SweepQuery().encode()))
        .thenCompose(
            response ->
                SweepQuery.decodeResponse(response).counting() && step < settings.sweepSteps()
                    ? count(rangeKey, step + 1)
                    : CompletableFuture.completedFuture(null));
  }

  /**
   * Processes the whole range without a limit on the number of steps, because no inbox may stay
   * attached to a dead owner.
   */
  private CompletableFuture<Void> detach(byte[] rangeKey, Owner owner, byte[] from) {
    DetachOwner command =
        new DetachOwner(owner, from, settings.sweepItems(), settings.willGrace().toMillis());
    return client
        .mutate(rangeKey, command.encode())
        .thenCompose(
            next ->
                next.length == 0
                    ? CompletableFuture.completedFuture(null)
                    : detach(rangeKey, owner, next));
  }
}
