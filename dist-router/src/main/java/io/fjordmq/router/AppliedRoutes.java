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
 * Tracks how far this node has applied the log of each range of routes: the {@link RouteTable}
 * contains every change up to that index. Thread-safe.
 */
public final class AppliedRoutes {
  /*
   * A replica that lags behind can receive a snapshot of its range that was taken after a split.
   * The snapshot's index is then later than the split, but for the keys that the split moved away
   * the table still has old routes. Therefore the range's index does not advance until replicas of
   * other ranges have filled these keys. If a range is new on this node, it is unknown which keys
   * it held earlier: possibly the entire gap around it, that is, all adjacent keys that no replica
   * on this node holds. None of this is needed for a split that is applied from the log, because
   * everything before it has been applied.
   *
   * A range that has absorbed others also held their keys, and may have moved them away again by a
   * split. A later snapshot of the range does not reflect the changes that its log made to these
   * keys. They are missing until replicas of existing ranges hold them; the replica of an absorbed
   * range does not count. The log of the absorbed range itself is then complete in the table, and
   * it has ended.
   */

  /** Progress of a range. Guarded by itself. */
  private static final class Progress {
    /** Index up to which the table is complete. */
    private long index;

    /** Applied index of the replica; above {@link #index} only while keys are missing. */
    private long applied;

    /** True if another range has absorbed this one. */
    private boolean absorbed;

    /** Guarded by {@link #unheld}. */
    private @Nullable KeyInterval held;

    /** Keys whose routes in the table are not complete up to {@link #applied}. */
    private final MissingKeys missing = new MissingKeys();

    /** By awaited index; callers that wait for the same index share a future. */
    private final NavigableMap<Long, CompletableFuture<Long>> waiting = new TreeMap<>();

    private Notification advance() {
      if (!missing.isEmpty()) {
        return Notification.NONE;
      }
      index = applied;
      if (waiting.isEmpty()) {
        return Notification.NONE;
      }
      NavigableMap<Long, CompletableFuture<Long>> awaited = waiting.headMap(index, true);
      Notification notification = new Notification(index, List.copyOf(awaited.values()));
      awaited.clear();
      return notification;
    }
  }

  /** Futures to complete with the index; must be completed without holding a lock. */
  private record Notification(long index, List<CompletableFuture<Long>> waiting) {
    static final Notification NONE = new Notification(0, List.of());

    void send() {
      waiting.forEach(future -> future.complete(index));
    }
  }

  private final ConcurrentHashMap<Long, Progress> ranges = new ConcurrentHashMap<>();

  /**
   * Keys that no replica on this node holds; keys released together are one gap. Its lock also
   * serializes {@link #opened} and {@link #narrowed}.
   */
  private final MissingKeys unheld = new MissingKeys(KeyInterval.ALL);

  /**
   * Must be called once the table contains exactly the range's rows, as read from a snapshot, a
   * reopened replica, or a replica that has absorbed another range.
   *
   * @param absorbedRanges ranges that the range has absorbed
   */
  void opened(long range, KeyInterval held, List<Long> absorbedRanges) {
    List<Notification> notifications = new ArrayList<>();
    synchronized (unheld) {
      Progress progress = progress(range);
      KeyInterval before = progress.held;
      release(progress, held, absorbedRanges);
      List<KeyInterval> possiblyHeld = before == null ? unheld.at(held) : List.of(before);
      List<Progress> incomplete = new ArrayList<>(List.of(progress));
      if (!absorbedRanges.isEmpty()) {
        possiblyHeld = unheld.all();
        absorbedRanges.forEach(part -> absorb(progress(part), incomplete));
      }
      for (Progress lagging : incomplete) {
        markMissing(lagging, possiblyHeld);
      }
      progress.held = held;
      for (Progress other : ranges.values()) {
        KeyInterval filled = other.held;
        if (filled != null) {
          unheld.fill(filled);
          incomplete.forEach(lagging -> notifications.add(fill(lagging, filled)));
        }
        notifications.add(fill(other, held));
      }
    }
    notifications.forEach(Notification::send);
  }

  /**
   * Releases the keys held so far by this range, by the ranges it absorbed, and by overlapping
   * ranges.
   */
  private void release(Progress progress, KeyInterval held, List<Long> absorbedRanges) {
    absorbedRanges.forEach(part -> release(progress(part)));
    ranges.values().stream()
        .filter(other -> other == progress || (other.held != null && other.held.overlaps(held)))
        .forEach(this::release);
    synchronized (progress) {
      if (progress.absorbed) { // a crash has undone the merge
        progress.absorbed = false;
        progress.index = 0;
      }
    }
  }

  private void release(Progress progress) {
    KeyInterval before = progress.held;
    if (before != null) {
      unheld.add(before);
      progress.held = null;
    }
  }

  /** Marks a range as absorbed: its log has ended. Adds it to the list the first time. */
  private static void absorb(Progress part, List<Progress> to) {
    synchronized (part) {
      if (!part.absorbed) {
        part.absorbed = true;
        part.applied = Long.MAX_VALUE;
        to.add(part);
      }
    }
  }

  private static void markMissing(Progress progress, List<KeyInterval> keys) {
    synchronized (progress) {
      keys.forEach(progress.missing::add);
    }
  }

  /**
   * Must be called when a log entry has split the range; the table has everything that the range
   * held before.
   */
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

  private static Notification fill(Progress progress, KeyInterval held) {
    synchronized (progress) {
      if (progress.missing.isEmpty()) {
        return Notification.NONE;
      }
      progress.missing.fill(held);
      return progress.advance();
    }
  }

  /**
   * Must be called when the replica has applied this index, for each range by one thread at a time.
   */
  void advance(long range, long index) {
    Progress progress = progress(range);
    Notification notification;
    synchronized (progress) {
      if (!progress.absorbed) { // the replica of an absorbed range can still report
        progress.applied = index;
      }
      notification = progress.advance();
    }
    notification.send();
  }

  /**
   * Returns the index up to which the table is complete; 0 if this node has no replica of the range
   * yet.
   */
  public long index(long range) {
    Progress progress = progress(range);
    synchronized (progress) {
      return progress.index;
    }
  }

  /** Returns the number of indexes of the range that callers wait for. */
  public int awaited(long range) {
    Progress progress = progress(range);
    synchronized (progress) {
      return progress.waiting.size();
    }
  }

  /** Completes with the applied index once that has reached the given index. */
  public CompletableFuture<Long> whenApplied(long range, long index) {
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
