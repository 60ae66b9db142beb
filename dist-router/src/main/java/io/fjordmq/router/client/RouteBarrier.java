package io.fjordmq.router.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeException;
import io.fjordmq.router.AppliedRoutes;
import io.fjordmq.router.RouteChanged;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteSettings;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes a committed route effective on every node. It waits until every node that is counted in
 * this node's view reports that its replica has applied the route's index, and then checks that
 * this node still has a valid lease, in the same incarnation (decision 0022). A node that is not
 * counted yet, because it is STARTING, serves no clients: its admission waits for this node's view
 * (decision 0036). Thread-safe.
 *
 * <p>On a single node it only costs two field reads.
 */
public final class RouteBarrier implements MembershipListener {
  /*
   * The peer service "routes". Request:
   *
   *   u8  version, 2
   *   u64 range number
   *   u64 index
   *
   * Response, sent once the node has applied the index:
   *
   *   u8  version, that of the request
   *   u64 applied index
   *   u8  1 if the node has unstored publishes, otherwise 0; not in version 1
   *
   * A node that knows only version 1 refuses version 2, and is asked again with version 1.
   */
  static final String SERVICE = "routes";
  static final int VERSION_1 = 1;
  static final int VERSION = 2;

  /** Maximum number of pending indexes for a range; more requests are refused and repeated. */
  private static final int MAX_PENDING = 1_024;

  private final CompletableFuture<Void> completed = CompletableFuture.completedFuture(null);
  private final Membership membership;
  private final PeerCalls peers;
  private final Timers timers;
  private final RouteSettings.Barrier settings;
  private final RouteObserver observer;
  private final UnstoredPublishes unstored;
  private final AppliedRoutes applied;
  private final PendingBarriers pending;
  private final ConcurrentHashMap<Long, RangeBarrier> ranges = new ConcurrentHashMap<>();

  /** The counted nodes, and always this node. */
  private volatile Set<NodeId> counted;

  private volatile boolean singleNode = true;

  /**
   * @param replicas the replicas of this node
   * @param observer receives the waits of this node's route changes
   * @param unstored retained publishes in flight: this node reports its own to other nodes and
   *     notes theirs
   */
  public RouteBarrier(
      Membership membership,
      PeerCalls peers,
      Timers timers,
      RouteSettings.Barrier settings,
      RouteReplicas replicas,
      RouteObserver observer,
      UnstoredPublishes unstored) {
    this.membership = membership;
    this.peers = peers;
    this.timers = timers;
    this.settings = settings;
    this.observer = observer;
    this.unstored = unstored;
    this.applied = replicas.applied();
    this.pending = new PendingBarriers(2 * settings.requestTimeout().toMillis());
    this.counted = Set.of(membership.self());
  }

  /** Starts responding to other nodes and tracking the counted nodes. */
  public void start(PeerServices services) {
    services.serve(SERVICE, this::respond);
    membership.watch(this);
  }

  @Override
  public void onMembersChanged(Members members) {
    Set<NodeId> now = new HashSet<>(members.counted());
    now.add(membership.self());
    counted = Set.copyOf(now);
    singleNode = now.size() == 1;
    ranges.values().forEach(RangeBarrier::completeWaiters);
  }

  /** Completes when all counted nodes have applied the change. */
  CompletableFuture<Void> whenApplied(RouteChanged change) {
    return singleNode && applied.index(change.range()) >= change.index()
        ? completed
        : ranges
            .computeIfAbsent(
                change.range(),
                range ->
                    new RangeBarrier(
                        range, () -> counted, this::requestProgress, timers, settings, observer))
            .await(change.index());
  }

  /** Returns the current incarnation of this node. */
  long incarnation() {
    return membership.incarnation();
  }

  /**
   * Completes when this node serves, in the incarnation in which the change was requested. Waits if
   * its lease has expired, because it may be renewed. Fails with {@link RangeException} if there
   * may be live nodes that this one does not know.
   */
  CompletableFuture<Void> whenServing(long requestedIn) {
    CompletableFuture<Void> serving = new CompletableFuture<>();
    awaitServing(requestedIn, timers.nowMillis() + settings.timeout().toMillis(), serving);
    return serving;
  }

  private void awaitServing(
      long requestedIn, long deadlineMillis, CompletableFuture<Void> serving) {
    String reason = membership.notServingReason();
    boolean sameIncarnation = membership.incarnation() == requestedIn;
    if (reason == null && sameIncarnation) {
      serving.complete(null);
    } else if (reason != null && sameIncarnation && timers.nowMillis() < deadlineMillis) {
      timers.schedule(
          settings.retryInterval().toMillis(),
          () -> awaitServing(requestedIn, deadlineMillis, serving));
    } else {
      serving.completeExceptionally(
          new RangeException(
              RangeException.Kind.UNAVAILABLE,
              "the route is committed, but it is unknown whether all nodes have applied it: "
                  + (reason == null ? "the incarnation of this node has ended" : reason)));
    }
  }

  /**
   * Returns the reason why this node should not be counted: another node has been waiting for its
   * response for two thirds of the time after which a SUBSCRIBE fails, so this node's replicas of
   * routes are too far behind. Null if no node has been waiting that long.
   */
  public @Nullable String overdueReason() {
    long waiting = pending.oldestMillis(timers.nowMillis());
    return waiting * 3 < settings.timeout().toMillis() * 2
        ? null
        : "another node has waited "
            + waiting / 1_000
            + " s for a route change that has not been applied on this node";
  }

  /** Returns the number of committed route changes that wait for nodes. */
  int waiting() {
    int waiting = 0;
    for (RangeBarrier range : ranges.values()) {
      waiting += range.waiting();
    }
    return waiting;
  }

  private CompletableFuture<Long> requestProgress(NodeId node, long range, long index) {
    if (node.equals(membership.self())) {
      return applied.whenApplied(range, index);
    }
    return call(node, VERSION, range, index)
        .exceptionallyCompose(
            failure ->
                OperationException.isAny(failure, PeerException.Kind.REFUSED)
                    ? call(node, VERSION_1, range, index)
                    : CompletableFuture.failedFuture(failure))
        .thenApply(response -> decodeResponse(node, response));
  }

  private CompletableFuture<byte[]> call(NodeId node, int version, long range, long index) {
    return peers.call(
        node, SERVICE, encodeRequest(version, range, index), settings.requestTimeout());
  }

  private CompletableFuture<byte[]> respond(NodeId from, byte[] request) {
    ByteReader in = new ByteReader(request);
    int version = readVersion(in);
    long range = in.readLong();
    long index = in.readLong();
    in.requireEnd();
    if (applied.awaited(range) >= MAX_PENDING) {
      return CompletableFuture.failedFuture(
          new PeerException(
              PeerException.Kind.REFUSED,
              "too many pending requests for route range %d (%d)".formatted(range, MAX_PENDING)));
    }
    CompletableFuture<Long> reached = applied.whenApplied(range, index);
    if (!reached.isDone()) {
      pending.onRequest(from, range, index, timers.nowMillis());
    }
    return reached
        .whenComplete(
            (upTo, failure) -> pending.onResponse(from, range, upTo == null ? index : upTo))
        .thenApply(upTo -> encodeResponse(version, upTo));
  }

  static byte[] encodeRequest(int version, long range, long index) {
    return new ByteWriter(17).writeByte(version).writeLong(range).writeLong(index).toByteArray();
  }

  private byte[] encodeResponse(int version, long upTo) {
    ByteWriter out = new ByteWriter(10).writeByte(version).writeLong(upTo);
    if (version != VERSION_1) {
      out.writeByte(unstored.exist() ? 1 : 0);
    }
    return out.toByteArray();
  }

  private long decodeResponse(NodeId node, byte[] response) {
    ByteReader in = new ByteReader(response);
    boolean isComplete = readVersion(in) != VERSION_1;
    long upTo = in.readLong();
    // Version 1 does not say it, so the node possibly has some.
    if (!isComplete || in.readByte() != 0) {
      unstored.onReported(node);
    }
    in.requireEnd();
    return upTo;
  }

  private static int readVersion(ByteReader in) {
    int version = in.readByte();
    if (version != VERSION_1) {
      NewerFormatException.require("route barrier message", VERSION, version);
    }
    return version;
  }
}
