package io.fjordmq.range.comparison;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.range.store.SliceHash;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the replicas of the ranges that this node leads, one slice of one range at a time, round
 * after round. Does nothing before the cluster has the level that it needs. Thread-safe; does not
 * block.
 */
public final class ReplicaComparisons implements AutoCloseable {
  /** The results of comparing a slice with one other replica; labels of the metric. */
  public static final List<String> RESULTS = List.of("equal", "different", "skipped");

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaComparisons.class);

  /** A slice takes this long to read. Its snapshot keeps overwritten rows on the disk meanwhile. */
  private static final int SLICE_SECONDS = 8;

  private static final int MIN_SLICE_BYTES = 64 << 10;
  private static final int MAX_SLICE_BYTES = 8 << 20;
  private static final long MAX_PAUSE_MILLIS = 1_000;
  private static final long MAX_RETRY_MILLIS = 10_000;

  /** A range that has differed is compared this many times as often. */
  private static final int RECHECKS = 10;

  private static final byte[] BEGIN = new byte[0];

  private final NodeId self;
  private final RangeStore ranges;
  private final HashCalls calls;
  private final ClusterLevel level;
  private final Timers timers;
  private final InstantSource clusterTime;
  private final RangeObserver observer;
  private final long intervalMillis;
  private final int sliceBytes;

  // Guarded by this.
  private final Map<RangeId, Round> rounds = new HashMap<>();
  private final Map<RangeId, Found> found = new HashMap<>();
  private boolean closed;

  /** The progress of comparing one range from its first to its last row. */
  private static final class Round {
    private long epochVersion;
    private long startMillis;
    private long dueMillis;
    private byte[] from = BEGIN;

    /** Whether the slice has just differed and is compared again. */
    private boolean repeats;

    private boolean hasDiffered;

    /** The first slice that has differed. */
    private byte[] differing = BEGIN;

    private boolean hasSkipped;

    Round(long dueMillis) {
      this.dueMillis = dueMillis;
    }

    void begin(long due) {
      dueMillis = due;
      from = BEGIN;
      repeats = false;
      hasDiffered = false;
      hasSkipped = false;
    }
  }

  private record Found(ReplicaDifference difference, long atMillis) {}

  /**
   * @param level whether the entry may be written
   * @param clusterTime when differences are found
   */
  public ReplicaComparisons(
      NodeId self,
      RangeStore ranges,
      PeerCalls peers,
      ClusterLevel level,
      Timers timers,
      InstantSource clusterTime,
      RangeStoreSettings settings,
      RangeObserver observer) {
    this.self = self;
    this.ranges = ranges;
    this.calls = new HashCalls(ranges.sliceHashes(), peers);
    this.level = level;
    this.timers = timers;
    this.clusterTime = clusterTime;
    this.observer = observer;
    this.intervalMillis = settings.comparisonInterval().toMillis();
    this.sliceBytes =
        (int)
            Math.min(
                MAX_SLICE_BYTES,
                Math.max(MIN_SLICE_BYTES, SLICE_SECONDS * settings.comparisonBytesPerSecond()));
  }

  /** Registers the service with which other nodes ask for the hashes of this node's replicas. */
  public void serve(PeerServices services) {
    calls.serve(services);
  }

  /** Starts comparing, unless the interval is zero. */
  public void start() {
    if (intervalMillis > 0) {
      timers.schedule(pauseMillis(), this::step);
    }
  }

  private long pauseMillis() {
    return Math.min(MAX_PAUSE_MILLIS, Math.max(1, intervalMillis / RECHECKS));
  }

  /** Returns the differences that this node has found and that no later round has disproved. */
  public synchronized List<ReplicaDifference> differences() {
    return found.values().stream()
        .map(Found::difference)
        .sorted(Comparator.comparing(difference -> difference.range().toString()))
        .toList();
  }

  /** Compares the slice that is due, or looks again later. */
  private void step() {
    try {
      boolean allowed = level.current() >= RangeEntry.COMPARE_LEVEL;
      ReplicaStatus due = allowed ? nextDue(ranges.status()) : null;
      if (due != null) {
        compare(due);
        return;
      }
    } catch (RuntimeException e) {
      LOG.error("Failed to compare the replicas of a range; retrying at the next interval", e);
    }
    scheduleStep(pauseMillis());
  }

  private synchronized void scheduleStep(long millis) {
    if (!closed) {
      timers.schedule(millis, this::step);
    }
  }

  private synchronized @Nullable ReplicaStatus nextDue(List<ReplicaStatus> all) {
    long now = timers.nowMillis();
    Map<RangeId, ReplicaStatus> led =
        all.stream()
            .filter(replica -> replica.leading() && replica.merging() == null)
            .filter(replica -> !others(replica).isEmpty())
            .collect(Collectors.toMap(replica -> replica.descriptor().id(), replica -> replica));
    rounds.keySet().retainAll(led.keySet());
    led.keySet()
        .forEach(range -> rounds.computeIfAbsent(range, r -> new Round(now + spreadMillis(r))));
    dropOutdated(all, now);
    return rounds.entrySet().stream()
        .filter(entry -> entry.getValue().dueMillis <= now)
        .min(Comparator.comparingLong(entry -> entry.getValue().dueMillis))
        .map(entry -> led.get(entry.getKey()))
        .orElse(null);
  }

  /** Spreads the first rounds of a node's ranges over the interval. */
  private long spreadMillis(RangeId range) {
    return Math.floorMod(31L * range.hashCode() + self.hashCode(), intervalMillis);
  }

  /** The leader of a range that this node no longer leads finds the difference itself. */
  private void dropOutdated(List<ReplicaStatus> all, long now) {
    Set<RangeId> local =
        all.stream().map(replica -> replica.descriptor().id()).collect(Collectors.toSet());
    found
        .entrySet()
        .removeIf(
            entry ->
                !local.contains(entry.getKey())
                    || (!rounds.containsKey(entry.getKey())
                        && now - entry.getValue().atMillis() > 2 * intervalMillis));
  }

  private Set<NodeId> others(ReplicaStatus replica) {
    Set<NodeId> others = new HashSet<>(replica.voters());
    others.addAll(replica.learners());
    others.remove(self);
    return others;
  }

  private void compare(ReplicaStatus replica) {
    RangeId range = replica.descriptor().id();
    long epochVersion = replica.descriptor().epoch().version();
    byte[] from;
    synchronized (this) {
      Round round = rounds.get(range);
      if (round == null) {
        scheduleStep(0);
        return;
      }
      if (round.epochVersion != epochVersion) { // a split or a merge
        round.epochVersion = epochVersion;
        round.begin(round.dueMillis);
      }
      if (round.from.length == 0 && !round.repeats) {
        round.startMillis = timers.nowMillis();
      }
      from = round.from;
    }
    new SliceComparison(
            self,
            range,
            others(replica),
            calls,
            timers,
            // on another thread, because the apply thread of a replica must not wait
            result -> timers.execute(() -> onCompared(range, result)))
        .start(ranges.transport(), epochVersion, sliceBytes, from);
  }

  private void onCompared(RangeId range, SliceComparison.Result result) {
    evaluate(range, result);
    scheduleStep(1);
  }

  private synchronized void evaluate(RangeId range, SliceComparison.Result result) {
    Round round = rounds.get(range);
    if (round == null) {
      return;
    }
    SliceHash own = result.hashes().get(self);
    if (own == null) {
      round.dueMillis = timers.nowMillis() + Math.min(intervalMillis, MAX_RETRY_MILLIS);
      return;
    }
    boolean differs = false;
    for (Map.Entry<NodeId, SliceHash> other : result.hashes().entrySet()) {
      if (!other.getKey().equals(self)) {
        boolean equal = other.getValue().matches(own);
        differs |= !equal;
        observer.onCompared(range, equal ? "equal" : "different");
      }
    }
    result.missing().forEach(node -> observer.onCompared(range, "skipped"));
    round.hasSkipped |= !result.missing().isEmpty();
    if (differs) {
      onDifferent(range, round, result, own);
    }
    round.repeats = differs && !round.repeats;
    if (!round.repeats) {
      advance(range, round, own.next());
    }
  }

  private void onDifferent(
      RangeId range, Round round, SliceComparison.Result result, SliceHash own) {
    ReplicaDifference difference =
        new ReplicaDifference(
            range,
            result.index(),
            clusterTime.instant(),
            ReplicaDifference.sorted(result.hashes().keySet()),
            ReplicaDifference.deviating(result.hashes()),
            round.from,
            own.next(),
            round.repeats);
    if (!round.hasDiffered) {
      round.differing = round.from;
    }
    if (Arrays.equals(round.differing, round.from)) { // one difference is enough for an alarm
      LOG.error(
          "Replicas of a range hold different rows; the alarm replicas_differ says what to do"
              + " range={} index={} nodes={} deviating={} slice={} confirmed={}",
          range,
          difference.index(),
          difference.compared(),
          difference.deviating(),
          difference.slice(),
          difference.confirmed());
      found.put(range, new Found(difference, timers.nowMillis()));
    }
    round.hasDiffered = true;
  }

  private void advance(RangeId range, Round round, byte @Nullable [] next) {
    if (next != null) {
      round.from = next;
      return;
    }
    if (!round.hasDiffered && !round.hasSkipped && found.remove(range) != null) {
      LOG.info("All replicas of a range are equal again range={}", range);
    }
    long wait = found.containsKey(range) ? Math.max(1, intervalMillis / RECHECKS) : intervalMillis;
    round.begin(Math.max(timers.nowMillis(), round.startMillis + wait));
  }

  /** Stops comparing. */
  @Override
  public synchronized void close() {
    closed = true;
  }
}
