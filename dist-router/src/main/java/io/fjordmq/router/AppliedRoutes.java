package io.fjordmq.router;

import io.fjordmq.range.KeyInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How far this node has applied the log of each range of routes: what stands there up to the index
 * is in its {@link RouteTable}. Thread-safe.
 */
final class AppliedRoutes {
  /*
   * A replica that is behind may get a copy of its range from after a split: its index is then one
   * from after the split, but of the keys that the split took away the table has what it had long
   * before. So the index stays what it was until the replicas of other ranges have filled these
   * keys. Of a range that is new here nobody knows which keys it had when its log said what the
   * copy begins with: any of those around it that no replica here holds. A split that comes with
   * the log takes nothing away that was not applied before.
   */

  /** One range. Guarded by itself. */
  private static final class Progress {
    /** How far the table has it. */
    private long index;

    /** How far the replica is; beyond the index only while keys are missing. */
    private long reached;

    /** Guarded by {@link #unheld}. */
    private @Nullable KeyInterval held;

    /** Keys of which the table has not all that it should have at the index that was reached. */
    private final KeyGaps missing = new KeyGaps();

    /** By the index that is awaited; those who wait for the same one share a future. */
    private final NavigableMap<Long, CompletableFuture<Long>> waiting = new TreeMap<>();

    private Told advance() {
      if (!missing.isEmpty()) {
        return Told.NOBODY;
      }
      index = reached;
      if (waiting.isEmpty()) {
        return Told.NOBODY;
      }
      NavigableMap<Long, CompletableFuture<Long>> awaited = waiting.headMap(index, true);
      Told told = new Told(index, List.copyOf(awaited.values()));
      awaited.clear();
      return told;
    }
  }

  /** Those who are to hear how far it is; no lock may be held meanwhile. */
  private record Told(long index, List<CompletableFuture<Long>> waiting) {
    static final Told NOBODY = new Told(0, List.of());

    void tell() {
      waiting.forEach(future -> future.complete(index));
    }
  }

  private final ConcurrentHashMap<Long, Progress> ranges = new ConcurrentHashMap<>();

  /**
   * Keys that no replica here holds; those that were given away together are one gap. Guarded by
   * itself, which also orders openings.
   */
  private final KeyGaps unheld = new KeyGaps(KeyInterval.ALL);

  /**
   * The table has the range's rows, all of them and none that were there before: those of a copy,
   * or those of a replica that is opened again.
   */
  void opened(long range, KeyInterval held) {
    List<Told> told = new ArrayList<>();
    synchronized (unheld) {
      Progress progress = progress(range);
      synchronized (progress) {
        KeyInterval before = progress.held;
        progress.held = held;
        if (before != null) {
          unheld.add(before);
        }
        List<KeyInterval> perhapsHad = before == null ? unheld.at(held) : List.of(before);
        perhapsHad.forEach(progress.missing::add);
      }
      for (Progress other : ranges.values()) {
        KeyInterval here = other.held;
        if (here != null) {
          unheld.fill(here);
          told.add(fill(progress, here));
        }
        told.add(fill(other, held));
      }
    }
    told.forEach(Told::tell);
  }

  /** The range was split by its log: what it had before is in the table. */
  void narrowed(long range, KeyInterval held) {
    synchronized (unheld) {
      Progress progress = progress(range);
      synchronized (progress) {
        if (progress.held != null) {
          unheld.add(progress.held);
          unheld.fill(held);
        }
        progress.held = held;
      }
    }
  }

  private static Told fill(Progress progress, KeyInterval held) {
    synchronized (progress) {
      if (progress.missing.isEmpty()) {
        return Told.NOBODY;
      }
      progress.missing.fill(held);
      return progress.advance();
    }
  }

  /** The replica has applied so much. Called for each range by one thread at a time. */
  void advance(long range, long index) {
    Progress progress = progress(range);
    Told told;
    synchronized (progress) {
      progress.reached = index;
      told = progress.advance();
    }
    told.tell();
  }

  /** Up to where; 0 if this node has no replica of the range yet. */
  long index(long range) {
    Progress progress = progress(range);
    synchronized (progress) {
      return progress.index;
    }
  }

  /** Indexes of the range that are awaited. */
  int awaited(long range) {
    Progress progress = progress(range);
    synchronized (progress) {
      return progress.waiting.size();
    }
  }

  /** Completes with how far it is, once that is at least the index. */
  CompletableFuture<Long> whenApplied(long range, long index) {
    Progress progress = progress(range);
    synchronized (progress) {
      return progress.index >= index
          ? CompletableFuture.completedFuture(progress.index)
          : progress.waiting.computeIfAbsent(index, i -> new CompletableFuture<>());
    }
  }

  private Progress progress(long range) {
    Progress present = ranges.get(range);
    return present != null ? present : ranges.computeIfAbsent(range, r -> new Progress());
  }
}
