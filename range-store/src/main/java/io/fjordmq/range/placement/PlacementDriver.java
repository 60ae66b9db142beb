package io.fjordmq.range.placement;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.Timers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives every range the replicas that it should have. Runs on every node and acts on the one that
 * leads the metadata group: it periodically asks all live nodes for their replicas, makes a plan,
 * and has the steps carried out, one at a time for each range. Stores nothing: the next leader
 * starts from the reports. Thread-safe; does not block.
 */
public final class PlacementDriver implements MembershipListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PlacementDriver.class);

  /** A voter move is given up after the time in which this many steps would time out. */
  private static final int MAX_STEPS_PER_MOVE = 10;

  private static final String NOT_LEADING = "this node does not lead the metadata group";

  private final Membership membership;
  private final LongFunction<PlacementOrders> ordersOfTerm;
  private final Supplier<Leadership> metadata;
  private final RangeDirectory directory;
  private final Timers timers;
  private final Supplier<PlacementSettings> settings;

  private final RequestedSplits splits = new RequestedSplits();
  private final RequestedMerges merges;
  private final PendingSteps pending = new PendingSteps();

  // Guarded by this.
  private @Nullable LeaderTerm term;
  private boolean checking;
  private boolean checkSoon;
  private boolean closed;

  /**
   * @param local carries out orders on this node
   * @param metadata leadership of the metadata group, as this node knows it
   * @param settings read at each check, so that they can change at runtime
   */
  public PlacementDriver(
      Membership membership,
      PeerCalls peers,
      PlacementAgent local,
      Supplier<Leadership> metadata,
      RangeDirectory directory,
      Timers timers,
      Supplier<PlacementSettings> settings) {
    this.membership = membership;
    this.ordersOfTerm =
        term -> new PlacementOrders(term, membership.self(), local::perform, peers, timers);
    this.metadata = metadata;
    this.directory = directory;
    this.merges = new RequestedMerges(directory::rightNeighbour);
    this.timers = timers;
    this.settings = settings;
  }

  /** Starts the periodic checks. */
  public void start() {
    membership.watch(this);
    recheck();
  }

  /**
   * Splits a range as soon as no other step is in progress for it; call it on the node that leads
   * the metadata group. Completes when the range's leader has applied the split. Fails if the range
   * was not split, or if the outcome is unknown. A new request replaces a waiting one for the same
   * range.
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
    checkSoon();
    return done;
  }

  /**
   * Merges a range with the next one; call it on the node that leads the metadata group. Completes
   * when the merge is published, fails if it is given up.
   */
  public CompletableFuture<Void> merge(RangeId left) {
    synchronized (this) {
      if (term() == null) {
        return notLeading();
      }
    }
    CompletableFuture<Void> done = merges.add(left, mergeUntil());
    checkSoon();
    return done;
  }

  /**
   * The steps that cannot be taken yet; call it on the node that leads the metadata group.
   *
   * @throws IllegalStateException if this node does not lead it
   */
  public List<PendingStep> pending() {
    synchronized (this) {
      if (term() == null) {
        throw new IllegalStateException(NOT_LEADING);
      }
    }
    return pending.list(timers.nowMillis());
  }

  /**
   * Cancels a merge of the range, or a load-driven move of its voters; call it on the node that
   * leads the metadata group. A merge that has already started is undone unless it completes first.
   */
  public void cancel(RangeId range) {
    long again = timers.nowMillis() + settings.get().merges().cooldown().toMillis();
    boolean canceled;
    synchronized (this) {
      LeaderTerm now = term();
      if (now == null) {
        throw new IllegalStateException(NOT_LEADING);
      }
      canceled = now.voterMoves.cancel(range, again);
    }
    if (!(merges.cancel(range, again) || canceled)) {
      throw new IllegalStateException(
          "neither a merge nor a move of voters is under way for range " + range);
    }
    checkSoon();
  }

  private long mergeUntil() {
    return timers.nowMillis() + settings.get().merges().patience().toMillis();
  }

  private static CompletableFuture<Void> notLeading() {
    return CompletableFuture.failedFuture(new IllegalStateException(NOT_LEADING));
  }

  private void recheck() {
    timers.schedule(
        settings.get().interval().toMillis(),
        () -> {
          if (!isClosed()) {
            recheck();
            check();
          }
        });
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void changed(Members members) {
    checkSoon();
  }

  private void checkSoon() {
    synchronized (this) {
      if (closed || checkSoon) {
        return;
      }
      checkSoon = true;
    }
    timers.schedule(
        settings.get().pause().toMillis(),
        () -> {
          synchronized (this) {
            checkSoon = false;
          }
          check();
        });
  }

  private void check() {
    LeaderTerm now;
    synchronized (this) {
      now = term();
      if (now != null && checking) {
        return;
      } else if (now != null) {
        checking = true;
        now.changedMeanwhile.clear();
      }
    }
    if (now == null) {
      giveUpAll(NOT_LEADING + " any more");
      return;
    }
    CompletableFuture.completedFuture(now)
        .thenCompose(this::ask)
        .whenComplete(
            (reports, failure) -> {
              synchronized (this) {
                checking = false;
              }
            })
        .thenAccept(reports -> act(now, reports))
        .exceptionally(
            failure -> {
              LOG.error("Placement planning failed; retrying at the next interval", failure);
              return null;
            });
  }

  /** Null while this node does not lead the metadata group. */
  private @Nullable LeaderTerm term() {
    Leadership leadership = metadata.get();
    if (closed || !leadership.leading()) {
      term = null;
    } else if (term == null || term.orders.term() != leadership.term()) {
      term = new LeaderTerm(ordersOfTerm.apply(leadership.term()));
    }
    return term;
  }

  private CompletableFuture<Map<NodeId, RangeReports>> ask(LeaderTerm now) {
    Map<NodeId, RangeReports> reports = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (NodeId node : Nodes.sorted(membership.members().alive())) {
      asked.add(
          now.orders
              .send(node, new PlacementOrder.Report(), settings.get().callTimeout())
              .thenAccept(answer -> reports.put(node, RangeReports.decode(answer)))
              .exceptionally(failure -> missing(node, failure)));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> reports);
  }

  private static @Nullable Void missing(NodeId node, Throwable failure) {
    if (cause(failure) instanceof MalformedBytesException) {
      LOG.warn("Cannot read the replica report of a node: {} node={}", reason(failure), node);
    } else {
      LOG.debug("node {} did not report its replicas: {}", node, reason(failure));
    }
    return null;
  }

  private void act(LeaderTerm asked, Map<NodeId, RangeReports> reports) {
    splits.keepOnly(directory.ranges().keySet());
    List<Step> steps;
    synchronized (this) {
      if (term() != asked) {
        return;
      }
      steps = new ArrayList<>();
      PlacementView view = withMoves(asked, view(asked, reports));
      PlacementObstacles obstacles = new PlacementObstacles();
      List<Step> planned = PlacementPlan.steps(view, settings.get().stores(), obstacles);
      merges.setObstacles(obstacles.merges());
      merges.addIdle(PlacementPlan.requestedMerges(view), mergeUntil());
      planned.addAll(PlacementPlan.splits(view, splits.keys()));
      planned.addAll(splitRequests(asked, view));
      pending.planned(
          obstacles.pending(),
          planned.stream().map(Step::range).collect(Collectors.toSet()),
          view.busy(),
          timers.nowMillis());
      for (Step step : planned) {
        if (asked.busy.size() < settings.get().maxSteps()
            && Collections.disjoint(asked.busy, step.ranges())) {
          asked.busy.addAll(step.ranges());
          cool(asked, step);
          steps.add(step);
        }
      }
    }
    StepRunner runner =
        new StepRunner(asked.orders, membership, directory, settings.get().stepTimeout());
    steps.forEach(step -> run(asked, runner, step));
    if (merges.areUrgent()) {
      checkSoon();
    }
  }

  private PlacementView withMoves(LeaderTerm now, PlacementView view) {
    PlacementSettings aims = settings.get();
    VoterMoves.Patience patience =
        new VoterMoves.Patience(
            aims.transferCooldown(), aims.stepTimeout().multipliedBy(MAX_STEPS_PER_MOVE));
    return now.voterMoves.update(view, aims.stores(), patience, timers.nowMillis());
  }

  private List<Step> splitRequests(LeaderTerm now, PlacementView view) {
    now.splitBackoff.keepOnly(view.published().keySet());
    return PlacementPlan.requestedSplits(view).stream()
        .filter(step -> !now.splitBackoff.isPausing(step.range(), timers.nowMillis()))
        .toList();
  }

  private void cool(LeaderTerm now, Step step) {
    if (step instanceof Step.Transfer) {
      long until = timers.nowMillis() + settings.get().transferCooldown().toMillis();
      now.coolUntilMillis.put(step.range(), until);
    }
  }

  private PlacementView view(LeaderTerm now, Map<NodeId, RangeReports> reports) {
    long nowMillis = timers.nowMillis();
    Members known = membership.members();
    // A node that does not know about a removal yet may still obey the removed node.
    reports.values().removeIf(report -> report.metadata() < known.removedAsOf());
    now.coolUntilMillis.values().removeIf(until -> until <= nowMillis);
    Map<RangeId, RangeDescriptor> published = new HashMap<>();
    directory.ranges().forEach((id, range) -> published.put(id, range.descriptor()));
    Set<RangeId> busy = new HashSet<>(now.busy);
    busy.addAll(now.changedMeanwhile);
    return new PlacementView(
        now.nodes(known.byNode(), settings.get().replaceAfter(), nowMillis),
        published,
        Map.copyOf(reports),
        busy,
        Set.copyOf(now.coolUntilMillis.keySet()),
        merges.update(published, reports, settings.get().merges(), nowMillis));
  }

  private void run(LeaderTerm now, StepRunner runner, Step step) {
    runner
        .run(step)
        .whenComplete(
            (done, failure) -> {
              String why = failure == null ? null : reason(failure);
              synchronized (this) {
                now.ended(step, why, timers.nowMillis(), settings.get().interval());
                pending.ended(step, why, timers.nowMillis());
              }
              splits.ended(step, failure == null ? null : cause(failure));
              long cooled = timers.nowMillis() + settings.get().merges().cooldown().toMillis();
              merges.ended(step, failure == null, cooled);
              if (failure == null) {
                checkSoon();
              }
            });
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static String reason(Throwable failure) {
    return String.valueOf(cause(failure).getMessage());
  }

  /** Gives no more orders; those already given may still be carried out. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      term = null;
    }
    giveUpAll("this node is shutting down");
  }

  private void giveUpAll(String why) {
    splits.giveUpAll(why);
    merges.giveUpAll(why);
    pending.clear();
  }
}
