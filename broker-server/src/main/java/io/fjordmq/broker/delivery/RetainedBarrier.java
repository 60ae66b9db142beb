package io.fjordmq.broker.delivery;

import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import io.fjordmq.router.client.UnstoredPublishes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a new subscription see every retained message. A retained message is matched first and
 * stored next; a subscription that takes effect in between does not get it live, and must not read
 * the stored messages before the store has responded (decision 0111). Thread-safe; never blocks.
 *
 * <p>Such publishes are in flight on this node, which is known; on a node that has confirmed a
 * route while it had any ({@link UnstoredPublishes}); or on a node whose retained message was
 * received when the subscription did not exist yet. Only those nodes are asked. All subscriptions
 * that wait share one round of requests, so a node has at most one request at a time. If no
 * retained message is in flight, waiting costs some field reads.
 */
public final class RetainedBarrier implements UnstoredPublishes {
  /*
   * The peer service "retained". Request:
   *
   *   u8  version, 1
   *
   * Response, sent once the store has responded to all retained publishes of the node that had
   * begun when the request arrived:
   *
   *   u8  version, 1
   */
  static final String SERVICE = "retained";
  private static final byte VERSION = 1;

  private static final int RETRY_MILLIS = 100;
  private static final Logger LOG = LoggerFactory.getLogger(RetainedBarrier.class);

  private final CompletableFuture<Void> completed = CompletableFuture.completedFuture(null);
  private final Membership membership;
  private final PeerCalls peers;
  private final Timers timers;
  private final long roundMillis;
  private final DeliveryObserver observer;
  private final RetainedInFlight own = new RetainedInFlight();
  private final ConcurrentHashMap<NodeId, Reports> others = new ConcurrentHashMap<>();
  private final RateLimitedLog timeouts = new RateLimitedLog();

  // Guarded by this.
  private @Nullable Round running;
  private @Nullable Round next;

  /** What indicates that another node had retained publishes in flight. */
  private static final class Reports {
    private final AtomicLong count = new AtomicLong();

    /** The number of reports before the last request that the node has responded to. */
    private final AtomicLong settled = new AtomicLong();

    boolean isSettled() {
      return settled.get() == count.get();
    }

    void settle(long upTo) {
      settled.accumulateAndGet(upTo, Math::max);
    }
  }

  /** Waits once for this node and for all nodes with unsettled reports. */
  private static final class Round {
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /** Guarded by the barrier. */
    private int subscriptions;
  }

  /**
   * @param maxWait the longest time that a subscription waits
   * @param observer receives the number of subscriptions that waited that long
   */
  public RetainedBarrier(
      Membership membership,
      PeerCalls peers,
      Timers timers,
      Duration maxWait,
      DeliveryObserver observer) {
    this.membership = membership;
    this.peers = peers;
    this.timers = timers;
    this.roundMillis = Math.max(1, maxWait.toMillis() / 2); // it may wait for the round before
    this.observer = observer;
  }

  /** Starts responding to other nodes. */
  public void start(PeerServices services) {
    services.serve(SERVICE, this::respond);
  }

  /** The retained publishes of this node. */
  RetainedInFlight own() {
    return own;
  }

  @Override
  public boolean exist() {
    return !own.isEmpty();
  }

  @Override
  public void onReported(NodeId node) {
    Reports reports = others.get(node);
    if (reports == null) {
      reports = others.computeIfAbsent(node, n -> new Reports());
    }
    reports.count.incrementAndGet();
  }

  /**
   * Completes when the retained messages may be read for a subscription that has taken effect
   * before this call: they include all that it did not get live. Also completes, without this
   * guarantee, when the longest wait is over. Never fails.
   */
  public CompletableFuture<Void> await() {
    if (own.isEmpty() && others.values().stream().allMatch(Reports::isSettled)) {
      return completed;
    }
    Round started;
    synchronized (this) {
      if (running != null) {
        // The requests of the running round may have been sent before the subscription.
        Round joined = next == null ? new Round() : next;
        next = joined;
        joined.subscriptions++;
        return joined.done;
      }
      started = new Round();
      started.subscriptions = 1;
      running = started;
    }
    start(started);
    return started.done;
  }

  private void start(Round round) {
    List<CompletableFuture<Void>> parts = new ArrayList<>(1 + others.size());
    parts.add(own.whenDrained());
    for (Map.Entry<NodeId, Reports> other : others.entrySet()) {
      Reports reports = other.getValue();
      if (!reports.isSettled()) {
        CompletableFuture<Void> part = new CompletableFuture<>();
        parts.add(part);
        long upTo = reports.count.get();
        ask(
            other.getKey(),
            round,
            () -> {
              reports.settle(upTo);
              part.complete(null);
            });
      }
    }
    CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
        .thenRun(() -> end(round, false));
    if (!round.done.isDone()) {
      timers.schedule(roundMillis, () -> end(round, true));
    }
  }

  private void ask(NodeId node, Round round, Runnable onSettled) {
    Member member = membership.members().find(node);
    if (member == null || !member.isCounted()) {
      onSettled.run(); // it has ended, and did not acknowledge what it had in flight
      return;
    }
    peers
        .call(node, SERVICE, new byte[] {VERSION}, Duration.ofMillis(roundMillis))
        .whenComplete(
            (response, failure) -> {
              if (failure == null
                  || OperationException.isAny(failure, PeerException.Kind.REFUSED)) {
                // A node that refuses has an older version, which has nothing to wait for.
                onSettled.run();
              } else if (!round.done.isDone()) {
                timers.schedule(
                    RETRY_MILLIS,
                    () -> {
                      if (!round.done.isDone()) {
                        ask(node, round, onSettled);
                      }
                    });
              }
            });
  }

  private void end(Round round, boolean timedOut) {
    int subscriptions;
    Round following;
    synchronized (this) {
      if (running != round) {
        return;
      }
      subscriptions = round.subscriptions;
      following = next;
      next = null;
      running = following;
    }
    if (timedOut) {
      onTimeout(subscriptions);
    }
    round.done.complete(null);
    if (following != null) {
      start(following);
    }
  }

  private void onTimeout(int subscriptions) {
    observer.onRetainedReadEarly(subscriptions);
    @Nullable String suppressed = timeouts.permit();
    if (suppressed != null) {
      LOG.warn(
          "Retained messages of these nodes were not stored within deliveryConfig.maxRetainedWait;"
              + " new subscriptions may miss them; check disks and ranges{} subscriptions={}"
              + " nodes={}",
          suppressed,
          subscriptions,
          unsettledNodes());
    }
  }

  private List<NodeId> unsettledNodes() {
    List<NodeId> nodes = new ArrayList<>();
    if (!own.isEmpty()) {
      nodes.add(membership.self());
    }
    others.forEach(
        (node, reports) -> {
          if (!reports.isSettled()) {
            nodes.add(node);
          }
        });
    return nodes;
  }

  private CompletableFuture<byte[]> respond(NodeId from, byte[] request) {
    ByteReader in = new ByteReader(request);
    NewerFormatException.require("request to wait for retained messages", VERSION, in.readByte());
    in.requireEnd();
    return own.whenDrained().thenApply(done -> new byte[] {VERSION});
  }
}
