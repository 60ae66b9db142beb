package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives every range the replicas that it should have. Runs on every node but acts only on the one
 * that leads the metadata group: it periodically requests replica reports from all live nodes,
 * makes a plan, and has the steps carried out, one at a time for each range. Stores nothing: the
 * next leader starts from the reports. Thread-safe; does not block.
 */
public final class PlacementDriver implements MembershipListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PlacementDriver.class);

  private static final String NOT_LEADING = "this node does not lead the metadata group";

  private final Membership membership;
  private final LongFunction<PlacementOrders> ordersOfTerm;
  private final Supplier<Leadership> metadata;
  private final RangeDirectory directory;
  private final Timers timers;
  private final Supplier<List<StorePlacement>> stores;
  private final PlacementSettings settings;
  private final RangeObserver observer;

  private final RequestedSplits splits = new RequestedSplits();
  private final RequestedMerges merges;
  private final PendingSteps pending = new PendingSteps();

  // Guarded by this.
  private @Nullable LeaderTerm term;
  private boolean checking;
  private boolean checkRequested;
  private boolean closed;

  /**
   * @param local carries out orders on this node
   * @param metadata leadership of the metadata group, as this node knows it
   * @param stores read at each check, because operators can change the number of voters
   * @param observer counts the steps
   */
  public PlacementDriver(
      Membership membership,
      PeerCalls peers,
      PlacementAgent local,
      Supplier<Leadership> metadata,
      RangeDirectory directory,
      Timers timers,
      Supplier<List<StorePlacement>> stores,
      PlacementSettings settings,
      RangeObserver observer) {
    this.membership = membership;
    this.ordersOfTerm =
        term -> new PlacementOrders(term, membership.self(), local::perform, peers, timers);
    this.metadata = metadata;
    this.directory = directory;
    this.merges = new RequestedMerges(directory::rightNeighbor);
    this.timers = timers;
    this.stores = stores;
    this.settings = settings;
    this.observer = observer;
  }

  /** Starts the periodic checks. */
  public void start() {
    membership.watch(this);
    scheduleCheck();
  }

  /**
   * Splits a range as soon as no other step is in progress for it. Must be called on the node that
   * leads the metadata group. Completes when the range's leader has applied the split. Fails if the
   * range was not split, or if the outcome is unknown. A new request replaces a waiting one for the
   * same range.
   *
   * @param key first key of the new range
   */
  public CompletableFuture<Void> split(RangeId range, byte[] key) {
    synchronized (this) {
      if (term() == null) {
        return notLeading();
      }
    }
    CompletableFuture<Void> done = splits.add(range, key);
    requestCheck();
    return done;
  }

  /**
   * Merges a range with the next one. Must be called on the node that leads the metadata group.
   * Completes when the merge is published, fails if it is abandoned.
   */
  public CompletableFuture<Void> merge(RangeId left) {
    synchronized (this) {
      if (term() == null) {
        return notLeading();
      }
    }
    CompletableFuture<Void> done = merges.add(left, mergeDeadlineMillis());
    requestCheck();
    return done;
  }

  /**
   * Returns the steps that cannot be taken yet. Must be called on the node that leads the metadata
   * group.
   *
   * @throws IllegalStateException if this node does not lead it
   */
  public List<PendingStep> pending() {
    long nowMillis = timers.nowMillis();
    List<PendingStep> all = new ArrayList<>(pending.list(nowMillis));
    synchronized (this) {
      all.addAll(requireLeaderTerm().heldSteps(nowMillis));
    }
    return all;
  }

  /**
   * Cancels a merge of the range or, if there is none, a change of its replicas. Must be called on
   * the node that leads the metadata group. A merge that has already started is undone unless it
   * completes first. A step of another change that has already started is completed. The range then
   * keeps its replicas until the merge cooldown has passed or another node leads the metadata.
   *
   * @throws IllegalStateException if there is nothing to cancel; the message says what to do
   *     instead
   */
  public void cancel(RangeId range) {
    long nowMillis = timers.nowMillis();
    long retryAtMillis = nowMillis + settings.mergeCooldown().toMillis();
    LeaderTerm leaderTerm;
    boolean canceled;
    synchronized (this) {
      leaderTerm = requireLeaderTerm();
      canceled = leaderTerm.cancelMove(range, retryAtMillis);
    }
    if (!(merges.cancel(range, retryAtMillis) || canceled)) {
      synchronized (this) {
        leaderTerm.hold(range, retryAtMillis, nowMillis);
      }
    }
    requestCheck();
  }

  private long mergeDeadlineMillis() {
    return timers.nowMillis() + settings.mergeTimeout().toMillis();
  }

  private LeaderTerm requireLeaderTerm() {
    LeaderTerm leaderTerm = term();
    if (leaderTerm == null) {
      throw new IllegalStateException(NOT_LEADING);
    }
    return leaderTerm;
  }

  private static CompletableFuture<Void> notLeading() {
    return CompletableFuture.failedFuture(new IllegalStateException(NOT_LEADING));
  }

  private void scheduleCheck() {
    timers.schedule(
        settings.interval().toMillis(),
        () -> {
          if (!isClosed()) {
            scheduleCheck();
            check();
          }
        });
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void onMembersChanged(Members members) {
    requestCheck();
  }

  private void requestCheck() {
    synchronized (this) {
      if (closed || checkRequested) {
        return;
      }
      checkRequested = true;
    }
    timers.schedule(
        settings.minInterval().toMillis(),
        () -> {
          synchronized (this) {
            checkRequested = false;
          }
          check();
        });
  }

  private void check() {
    LeaderTerm leaderTerm;
    synchronized (this) {
      leaderTerm = term();
      if (leaderTerm != null && checking) {
        return;
      } else if (leaderTerm != null) {
        checking = true;
        leaderTerm.beginCheck();
      }
    }
    if (leaderTerm == null) {
      abandonAll("this node no longer leads the metadata group");
      return;
    }
    CompletableFuture.completedFuture(leaderTerm)
        .thenCompose(this::requestReports)
        .whenComplete(
            (reports, failure) -> {
              synchronized (this) {
                checking = false;
              }
            })
        .thenAccept(reports -> onReports(leaderTerm, reports))
        .exceptionally(
            failure -> {
              LOG.error("Placement planning failed; retrying at the next interval", failure);
              return null;
            });
  }

  /** Returns null while this node does not lead the metadata group. */
  private @Nullable LeaderTerm term() {
    Leadership leadership = metadata.get();
    if (closed || !leadership.leading()) {
      term = null;
    } else if (term == null || term.orders().term() != leadership.term()) {
      term = new LeaderTerm(ordersOfTerm.apply(leadership.term()), settings);
    }
    return term;
  }

  private CompletableFuture<Map<NodeId, RangeReports>> requestReports(LeaderTerm leaderTerm) {
    return leaderTerm
        .orders()
        .requestReports(NodeSets.sorted(membership.members().alive()), settings.callTimeout());
  }

  private void onReports(LeaderTerm planningTerm, Map<NodeId, RangeReports> reports) {
    splits.keepOnly(directory.ranges().keySet());
    List<Step> steps;
    Map<RangeId, RangePin.Stored> pins = directory.pins(); // before the ranges
    PinCheck check;
    synchronized (this) {
      if (term() != planningTerm) {
        return;
      }
      long nowMillis = timers.nowMillis();
      PlacementView unpinned = view(planningTerm, reports, nowMillis);
      check = PinCheck.of(unpinned, stores.get(), pins);
      PlacementView view =
          planningTerm.withMoves(unpinned.withPins(check.valid()), stores.get(), nowMillis);
      PlacementObstacles obstacles = new PlacementObstacles();
      List<Step> planned = PlacementPlan.steps(view, stores.get(), obstacles);
      planningTerm.onPlan(obstacles, view);
      merges.setObstacles(obstacles.merges());
      merges.addIdle(PlacementPlan.requestedMerges(view), mergeDeadlineMillis());
      planned.addAll(PlacementPlan.splits(view, splits.keys()));
      planned.addAll(planningTerm.requestedSplits(view, nowMillis));
      pending.onPlan(
          obstacles.pending(),
          planned.stream().map(Step::range).collect(Collectors.toSet()),
          view.busy(),
          nowMillis);
      steps = planningTerm.begin(planned, nowMillis);
    }
    StepRunner runner =
        new StepRunner(planningTerm.orders(), membership, directory, settings.stepTimeout());
    steps.forEach(step -> run(planningTerm, runner, step));
    unpin(check.obsolete(), pins);
    if (merges.hasFrozenRanges()) {
      requestCheck();
    }
  }

  private PlacementView view(
      LeaderTerm leaderTerm, Map<NodeId, RangeReports> reports, long nowMillis) {
    Members known = membership.members();
    // A node that does not know about a removal yet may still obey the removed node.
    reports.values().removeIf(report -> report.metadataVersion() < known.latestRemovalVersion());
    Map<RangeId, RangeDescriptor> published = new HashMap<>();
    directory.ranges().forEach((id, range) -> published.put(id, range.descriptor()));
    PlacementView.Merges merging = merges.update(published, reports, settings, nowMillis);
    return leaderTerm.view(known.byNode(), published, reports, merging, nowMillis);
  }

  /** Removes pins; the next check repeats this if it fails. */
  private void unpin(Map<RangeId, String> reasons, Map<RangeId, RangePin.Stored> pins) {
    reasons.forEach(
        (range, reason) -> {
          RangePin.Stored stored = Objects.requireNonNull(pins.get(range));
          membership
              .write(List.of(RangePin.remove(range, stored.version())))
              .whenComplete(
                  (result, failure) -> {
                    if (result instanceof WriteResult.Applied) {
                      LOG.info(
                          "Range unpinned: {} range={} voters={} leader={}",
                          reason,
                          range,
                          stored.pin().voters(),
                          stored.pin().leader());
                    }
                  });
        });
  }

  private void run(LeaderTerm leaderTerm, StepRunner runner, Step step) {
    runner
        .run(step)
        .whenComplete(
            (done, failure) -> {
              observer.onPlacementStep(step.range(), step.kind().label(), failure == null);
              String reason = failure == null ? null : reason(failure);
              synchronized (this) {
                leaderTerm.onStepFinished(step, reason, timers.nowMillis());
                pending.onStepFinished(
                    step, reason, leaderTerm.isCancelable(step.range()), timers.nowMillis());
              }
              splits.onStepFinished(
                  step, failure == null ? null : OperationException.unwrap(failure));
              long cooldownEndMillis = timers.nowMillis() + settings.mergeCooldown().toMillis();
              merges.onStepFinished(step, failure == null, cooldownEndMillis);
              if (failure == null) {
                requestCheck();
              }
            });
  }

  private static String reason(Throwable failure) {
    return String.valueOf(OperationException.unwrap(failure).getMessage());
  }

  /** Stops sending orders; those already given may still be carried out. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      term = null;
    }
    abandonAll("this node is shutting down");
  }

  private void abandonAll(String reason) {
    splits.abandonAll(reason);
    merges.abandonAll(reason);
    pending.clear();
  }
}
