package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.NewerFormException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.Timers;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes a route count on every node: after it is committed at an index of its range, every node
 * that is counted in this node's view says that its replica has applied the index; and at the end
 * this node's lease still holds, in the life in which it began (decision 0022). A node that this
 * one does not count yet, because it is STARTING, serves no clients: its admission waits for this
 * node's view (decision 0036). Thread-safe.
 *
 * <p>On a node that is alone it costs a look at two fields.
 */
public final class RouteBarrier implements MembershipListener {
  /*
   * The service "routes". Question:
   *
   *   u8  version, 1
   *   u64 range number
   *   u64 index
   *
   * It is answered once the node has applied the index:
   *
   *   u8  version, 1
   *   u64 applied index
   */
  static final String SERVICE = "routes";
  private static final int VERSION = 1;

  /** Questions about one range that wait here; beyond it they are refused and asked again. */
  private static final int MAX_PARKED = 1_024;

  private final CompletableFuture<Void> passed = CompletableFuture.completedFuture(null);
  private final Membership membership;
  private final PeerCalls peers;
  private final Timers timers;
  private final RouterSettings.Barrier settings;
  private final AppliedRoutes applied;
  private final PendingBarriers open;
  private final ConcurrentHashMap<Long, RangeBarrier> ranges = new ConcurrentHashMap<>();

  /** Those that count, and this node whether or not it does. */
  private volatile Set<NodeId> counted;

  private volatile boolean alone = true;

  /**
   * @param replicas those of this node
   */
  public RouteBarrier(
      Membership membership,
      PeerCalls peers,
      Timers timers,
      RouterSettings.Barrier settings,
      RangedRouter.Replicas replicas) {
    this.membership = membership;
    this.peers = peers;
    this.timers = timers;
    this.settings = settings;
    this.applied = replicas.applied();
    this.open = new PendingBarriers(2 * settings.askTimeout().toMillis());
    this.counted = Set.of(membership.self());
  }

  /** Begins to answer other nodes and to follow who counts. */
  public void start(PeerServices services) {
    services.serve(SERVICE, this::answer);
    membership.watch(this);
  }

  @Override
  public void changed(Members members) {
    Set<NodeId> now = new HashSet<>(members.counted());
    now.add(membership.self());
    counted = Set.copyOf(now);
    alone = now.size() == 1;
    ranges.values().forEach(RangeBarrier::settle);
  }

  /** Completes when all counted nodes have applied the change. */
  CompletableFuture<Void> applied(RouteChanged change) {
    return alone && applied.index(change.range()) >= change.index()
        ? passed
        : ranges
            .computeIfAbsent(
                change.range(),
                range -> new RangeBarrier(range, () -> counted, this::ask, timers, settings))
            .await(change.index());
  }

  /** The present life of this node. */
  long life() {
    return membership.incarnation();
  }

  /**
   * Completes when this node serves, in the life in which the change was asked for; waits if its
   * lease has expired, because it may be renewed. Fails with {@link RangeException} if there may be
   * living nodes that this one does not know of.
   */
  CompletableFuture<Void> serving(long life) {
    CompletableFuture<Void> serving = new CompletableFuture<>();
    awaitServing(life, timers.nowMillis() + settings.patience().toMillis(), serving);
    return serving;
  }

  private void awaitServing(long life, long deadlineMillis, CompletableFuture<Void> serving) {
    String reason = membership.notServingBecause();
    boolean sameLife = membership.incarnation() == life;
    if (reason == null && sameLife) {
      serving.complete(null);
    } else if (reason != null && sameLife && timers.nowMillis() < deadlineMillis) {
      timers.schedule(
          settings.askAgainAfter().toMillis(), () -> awaitServing(life, deadlineMillis, serving));
    } else {
      serving.completeExceptionally(
          new RangeException(
              RangeException.Kind.UNAVAILABLE,
              "a route is committed, but this node cannot know whether all nodes have it: "
                  + (reason == null ? "its life has ended meanwhile" : reason)));
    }
  }

  /**
   * Why this node should not be counted: another node has been waiting for its answer for two
   * thirds of the time after which a SUBSCRIBE fails, so the replicas of routes here are too far
   * behind. Null if no node waits for that long.
   */
  public @Nullable String overdue() {
    long waiting = open.longestMillis(timers.nowMillis());
    return waiting * 3 < settings.patience().toMillis() * 2
        ? null
        : "a change of routes has not been applied on this node for " + waiting / 1_000 + " s";
  }

  /** Changes of routes that wait for nodes. */
  int waiting() {
    int waiting = 0;
    for (RangeBarrier range : ranges.values()) {
      waiting += range.waiting();
    }
    return waiting;
  }

  private CompletableFuture<Long> ask(NodeId node, long range, long index) {
    if (node.equals(membership.self())) {
      return applied.whenApplied(range, index);
    }
    return peers
        .ask(node, SERVICE, question(range, index), settings.askTimeout())
        .thenApply(RouteBarrier::appliedIn);
  }

  private CompletableFuture<byte[]> answer(NodeId from, byte[] question) {
    ByteReader in = new ByteReader(question);
    requireVersion(in);
    long range = in.readLong();
    long index = in.readLong();
    in.requireEnd();
    if (applied.awaited(range) >= MAX_PARKED) {
      return CompletableFuture.failedFuture(
          new PeerException(
              PeerException.Kind.REFUSED,
              MAX_PARKED + " questions about range " + range + " of routes wait already"));
    }
    CompletableFuture<Long> reached = applied.whenApplied(range, index);
    if (!reached.isDone()) {
      open.asked(from, range, index, timers.nowMillis());
    }
    return reached
        .whenComplete((upTo, failure) -> open.answered(from, range, upTo == null ? index : upTo))
        .thenApply(upTo -> new ByteWriter(9).writeByte(VERSION).writeLong(upTo).toByteArray());
  }

  static byte[] question(long range, long index) {
    return new ByteWriter(17).writeByte(VERSION).writeLong(range).writeLong(index).toByteArray();
  }

  private static long appliedIn(byte[] answer) {
    ByteReader in = new ByteReader(answer);
    requireVersion(in);
    long upTo = in.readLong();
    in.requireEnd();
    return upTo;
  }

  private static void requireVersion(ByteReader in) {
    NewerFormException.require("message about routes", VERSION, in.readByte());
  }
}
