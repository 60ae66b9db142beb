package io.fjordmq.range.comparison;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.store.HashReport;
import io.fjordmq.range.store.SliceHash;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One comparison of a slice of a range that this node leads: proposes the entry, then collects the
 * hashes of the replicas. Thread-safe; does not block.
 */
final class SliceComparison {
  private static final long POLL_MILLIS = 100;

  /** Long enough for a node on which every other node has a slice read at the default rate. */
  private static final long TIMEOUT_MILLIS = 300_000;

  private final NodeId self;
  private final RangeId range;
  private final Set<NodeId> others;
  private final HashCalls calls;
  private final Timers timers;
  private final Consumer<Result> callback;
  private final long deadlineMillis;

  // Guarded by this.
  private final Map<NodeId, SliceHash> hashes = new HashMap<>();
  private final Set<NodeId> missing = new HashSet<>();
  private final Set<NodeId> asked = new HashSet<>();
  private long index = -1;
  private boolean done;

  /**
   * The hashes of all replicas that have one.
   *
   * @param index index of the entry; -1 if it was not applied
   * @param hashes contains the hash of this node, or nothing
   * @param missing the other nodes without a hash
   */
  record Result(long index, Map<NodeId, SliceHash> hashes, Set<NodeId> missing) {}

  /**
   * @param others the nodes with the other replicas
   * @param callback called once, on any thread
   */
  SliceComparison(
      NodeId self,
      RangeId range,
      Set<NodeId> others,
      HashCalls calls,
      Timers timers,
      Consumer<Result> callback) {
    this.self = self;
    this.range = range;
    this.others = Set.copyOf(others);
    this.calls = calls;
    this.timers = timers;
    this.callback = callback;
    this.deadlineMillis = timers.nowMillis() + TIMEOUT_MILLIS;
  }

  /** Begins the comparison. */
  void start(RangeTransport transport, long epochVersion, int maxBytes, byte[] from) {
    byte[] entry = RangeEntry.encodeCompare(epochVersion, maxBytes, from);
    transport.propose(self, range, entry, this::onProposed);
    poll();
  }

  private void onProposed(RangeResult result) {
    if (result instanceof RangeResult.Applied applied) {
      synchronized (this) {
        index = applied.index();
      }
    } else {
      finish();
    }
  }

  private void poll() {
    Set<NodeId> toAsk;
    synchronized (this) {
      if (done) {
        return;
      }
      toAsk = nodesToAsk();
    }
    if (toAsk == null || timers.nowMillis() > deadlineMillis) {
      finish();
      return;
    }
    for (NodeId node : toAsk) {
      calls.ask(node, range, index).thenAccept(report -> onReport(node, report));
    }
    timers.schedule(POLL_MILLIS, this::poll);
  }

  /**
   * Returns the nodes to ask now: none before this node has its own hash. Null if this node will
   * not have one. Must be called with the lock held.
   */
  private @Nullable Set<NodeId> nodesToAsk() {
    if (index < 0) {
      return Set.of();
    }
    if (!hashes.containsKey(self)) {
      HashReport own = calls.ownHash(range, index);
      if (!(own instanceof HashReport.Hashed hashed)) {
        return own instanceof HashReport.Pending ? Set.of() : null;
      }
      hashes.put(self, hashed.hash());
    }
    Set<NodeId> toAsk = new HashSet<>(others);
    toAsk.removeAll(hashes.keySet());
    toAsk.removeAll(missing);
    toAsk.removeAll(asked);
    asked.addAll(toAsk);
    return toAsk;
  }

  private void onReport(NodeId node, HashReport report) {
    boolean complete;
    synchronized (this) {
      asked.remove(node);
      if (report instanceof HashReport.Hashed hashed) {
        hashes.put(node, hashed.hash());
      } else if (report instanceof HashReport.Missing) {
        missing.add(node);
      }
      complete = hashes.size() - 1 + missing.size() == others.size();
    }
    if (complete) {
      finish();
    }
  }

  private void finish() {
    Result result;
    synchronized (this) {
      if (done) {
        return;
      }
      done = true;
      Set<NodeId> without = new HashSet<>(others);
      without.removeAll(hashes.keySet());
      result = new Result(index, Map.copyOf(hashes), without);
    }
    callback.accept(result);
  }
}
