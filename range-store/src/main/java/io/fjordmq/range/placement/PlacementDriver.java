package io.fjordmq.range.placement;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.membership.Member;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that every range has the replicas it should have. Runs on every node, acts on the one
 * that leads the metadata: from time to time it asks all living nodes what they hold, plans, and
 * has the steps done, one at a time for each range. Keeps nothing: whoever leads next finds out.
 * Thread-safe; does not block.
 */
public final class PlacementDriver implements MembershipListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PlacementDriver.class);

  /** So many steps may take their whole time before the move of a vote is given up. */
  private static final int STEPS_OF_A_MOVE = 10;

  private final Membership membership;
  private final LongFunction<PlacementOrders> ordersOfTerm;
  private final Supplier<Leadership> metadata;
  private final RangeDirectory directory;
  private final Timers timers;
  private final Supplier<PlacementSettings> settings;

  private final WantedSplits splits = new WantedSplits();
  private final WantedMerges merges;

  // Guarded by this.
  private @Nullable Reign reign;
  private boolean looking;
  private boolean lookSoon;
  private boolean closed;

  /** What one driver knows, from when it began to lead the metadata until it does no more. */
  private static final class Reign {
    final PlacementOrders orders;
    final Set<RangeId> busy = new HashSet<>();

    /** Ranges whose step ended after the nodes were asked: what they said may be from before. */
    final Set<RangeId> changedMeanwhile = new HashSet<>();

    final Map<NodeId, Long> downSinceMillis = new HashMap<>();
    final Map<RangeId, Long> coolUntilMillis = new HashMap<>();
    final Map<RangeId, String> lastFailure = new HashMap<>();
    final WishPauses wishPauses = new WishPauses();
    final VoterMoves voterMoves = new VoterMoves();

    Reign(PlacementOrders orders) {
      this.orders = orders;
    }
  }

  /**
   * @param local does what is to be done on this node
   * @param metadata who leads the metadata, as this node knows
   * @param settings asked at each look, so that they may change
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
    this.merges = new WantedMerges(directory::follower);
    this.timers = timers;
    this.settings = settings;
  }

  /** Looks from now on. */
  public void start() {
    membership.watch(this);
    lookAgain();
  }

  /**
   * Has a range split as soon as nothing else is being done for it; to be asked of the node that
   * leads the metadata. Completes when the range's leader has done so. Fails if it was not, or may
   * not have been; another one of the same range takes the place of one that waits.
   *
   * @param key where the new range begins
   */
  public CompletableFuture<Void> split(RangeId range, byte[] key) {
    synchronized (this) {
      if (reign() == null) {
        return notLeading();
      }
    }
    CompletableFuture<Void> done = splits.add(range, key);
    lookSoon();
    return done;
  }

  /**
   * Has a range take in the one that follows; to be asked of the node that leads the metadata.
   * Completes when that is published, fails if it was given up.
   */
  public CompletableFuture<Void> merge(RangeId left) {
    synchronized (this) {
      if (reign() == null) {
        return notLeading();
      }
    }
    CompletableFuture<Void> done = merges.add(left, mergeUntil());
    lookSoon();
    return done;
  }

  private long mergeUntil() {
    return timers.nowMillis() + settings.get().merges().patience().toMillis();
  }

  private static CompletableFuture<Void> notLeading() {
    String why = "this node does not lead the metadata";
    return CompletableFuture.failedFuture(new IllegalStateException(why));
  }

  private void lookAgain() {
    timers.schedule(
        settings.get().interval().toMillis(),
        () -> {
          if (!isClosed()) {
            lookAgain();
            look();
          }
        });
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void changed(Members members) {
    lookSoon();
  }

  private void lookSoon() {
    synchronized (this) {
      if (closed || lookSoon) {
        return;
      }
      lookSoon = true;
    }
    timers.schedule(
        settings.get().pause().toMillis(),
        () -> {
          synchronized (this) {
            lookSoon = false;
          }
          look();
        });
  }

  private void look() {
    Reign now;
    synchronized (this) {
      now = reign();
      if (now != null && looking) {
        return;
      } else if (now != null) {
        looking = true;
        now.changedMeanwhile.clear();
      }
    }
    if (now == null) {
      splits.giveUpAll("this node does not lead the metadata any more");
      merges.giveUpAll("this node does not lead the metadata any more");
      return;
    }
    CompletableFuture.completedFuture(now)
        .thenCompose(this::ask)
        .whenComplete(
            (reports, failure) -> {
              synchronized (this) {
                looking = false;
              }
            })
        .thenAccept(reports -> act(now, reports))
        .exceptionally(
            failure -> {
              LOG.error("placement cannot plan what the ranges need", failure);
              return null;
            });
  }

  /** Null while this node does not lead the metadata. */
  private @Nullable Reign reign() {
    Leadership leadership = metadata.get();
    if (closed || !leadership.leading()) {
      reign = null;
    } else if (reign == null || reign.orders.term() != leadership.term()) {
      reign = new Reign(ordersOfTerm.apply(leadership.term()));
    }
    return reign;
  }

  private CompletableFuture<Map<NodeId, RangeReports>> ask(Reign now) {
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
      LOG.warn("what node {} holds cannot be read: {}", node, reason(failure));
    } else {
      LOG.debug("node {} does not say what it holds: {}", node, reason(failure));
    }
    return null;
  }

  private void act(Reign asked, Map<NodeId, RangeReports> reports) {
    splits.keepOnly(directory.ranges().keySet());
    List<Step> steps;
    synchronized (this) {
      if (reign() != asked) {
        return;
      }
      steps = new ArrayList<>();
      PlacementView view = withMoves(asked, view(asked, reports));
      Map<RangeId, String> hindrances = new HashMap<>();
      List<Step> planned = PlacementPlan.steps(view, settings.get().stores(), hindrances);
      merges.hindered(hindrances);
      merges.addIdle(PlacementPlan.mergeWishes(view), mergeUntil());
      planned.addAll(PlacementPlan.splits(view, splits.keys()));
      planned.addAll(wishes(asked, view));
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
      lookSoon();
    }
  }

  private PlacementView withMoves(Reign now, PlacementView view) {
    PlacementSettings aims = settings.get();
    VoterMoves.Patience patience =
        new VoterMoves.Patience(
            aims.transferCooldown(), aims.stepTimeout().multipliedBy(STEPS_OF_A_MOVE));
    return now.voterMoves.look(view, aims.stores(), patience, timers.nowMillis());
  }

  private List<Step> wishes(Reign now, PlacementView view) {
    now.wishPauses.keepOnly(view.published().keySet());
    return PlacementPlan.wishes(view).stream()
        .filter(step -> !now.wishPauses.isPausing(step.range(), timers.nowMillis()))
        .toList();
  }

  private void cool(Reign now, Step step) {
    if (step instanceof Step.Transfer) {
      long until = timers.nowMillis() + settings.get().transferCooldown().toMillis();
      now.coolUntilMillis.put(step.range(), until);
    }
  }

  private PlacementView view(Reign now, Map<NodeId, RangeReports> reports) {
    long nowMillis = timers.nowMillis();
    Members known = membership.members();
    // Who does not know yet who was removed may still do what that one says.
    reports.values().removeIf(report -> report.metadata() < known.removedAsOf());
    now.downSinceMillis.keySet().retainAll(known.byNode().keySet());
    now.coolUntilMillis.values().removeIf(until -> until <= nowMillis);
    Map<NodeId, PlacementView.Node> nodes = new HashMap<>();
    known.byNode().forEach((node, member) -> nodes.put(node, node(now, member, nowMillis)));
    Map<RangeId, RangeDescriptor> published = new HashMap<>();
    directory.ranges().forEach((id, range) -> published.put(id, range.descriptor()));
    Set<RangeId> busy = new HashSet<>(now.busy);
    busy.addAll(now.changedMeanwhile);
    return new PlacementView(
        nodes,
        published,
        Map.copyOf(reports),
        busy,
        Set.copyOf(now.coolUntilMillis.keySet()),
        merges.look(published, reports, settings.get().merges(), nowMillis));
  }

  private PlacementView.Node node(Reign now, Member member, long nowMillis) {
    if (member.isAlive()) {
      now.downSinceMillis.remove(member.node());
      return new PlacementView.Node(member.state(), false);
    }
    long since = now.downSinceMillis.computeIfAbsent(member.node(), first -> nowMillis);
    long down = nowMillis - since;
    return new PlacementView.Node(member.state(), down >= settings.get().replaceAfter().toMillis());
  }

  private void run(Reign now, StepRunner runner, Step step) {
    runner
        .run(step)
        .whenComplete(
            (done, failure) -> {
              synchronized (this) {
                now.busy.removeAll(step.ranges());
                now.changedMeanwhile.addAll(step.ranges());
                if (step instanceof Step.Split) {
                  pause(now, step.range(), failure);
                }
                tell(now, step, failure);
              }
              splits.ended(step, failure == null ? null : cause(failure));
              long cooled = timers.nowMillis() + settings.get().merges().cooldown().toMillis();
              merges.ended(step, failure == null, cooled);
              if (failure == null) {
                lookSoon();
              }
            });
  }

  private void pause(Reign now, RangeId range, @Nullable Throwable failure) {
    if (failure == null) {
      now.wishPauses.done(range);
    } else {
      now.wishPauses.failed(range, timers.nowMillis(), settings.get().interval());
    }
  }

  /** What fails in the same way again and again is said once. */
  private static void tell(Reign now, Step step, @Nullable Throwable failure) {
    if (failure == null) {
      now.lastFailure.remove(step.range());
      LOG.info("placement: done: {}", step);
      return;
    }
    String reason = reason(failure);
    String said = now.lastFailure.put(step.range(), step + reason);
    if (!(step + reason).equals(said)) {
      LOG.warn("placement: not done, will be tried again: {}: {}", step, reason);
    }
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static String reason(Throwable failure) {
    return String.valueOf(cause(failure).getMessage());
  }

  /** Orders nothing any more; what was ordered may still be done. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      reign = null;
    }
    splits.giveUpAll("this node closes");
    merges.giveUpAll("this node closes");
  }
}
