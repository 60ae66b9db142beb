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
   *
   * A range that has taken in others had their keys, too, and may have given them away again: a copy
   * of it from after that says nothing of what its log did to them meanwhile. They are missing until
   * ranges that there are hold them; what the replica of a range that is gone holds here does not
   * count. Of that one's own log everything is in the table then, and there is no more to come.
   */

  /** One range. Guarded by itself. */
  private static final class Progress {
    /** How far the table has it. */
    private long index;

    /** How far the replica is; beyond the index only while keys are missing. */
    private long reached;

    /** It is part of another range. */
    private boolean gone;

    /** Guarded by {@link #unheld}. */
    private @Nullable KeyInterval held;

    /** Keys of which the table has not all that it should have at the index that was reached. */
    private final MissingKeys missing = new MissingKeys();

    /** By the index that is awaited; those who wait for the same one share a future. */
    private final NavigableMap<Long, CompletableFuture<Long>> waiting = new TreeMap<>();

    private Notification advance() {
      if (!missing.isEmpty()) {
        return Notification.NOBODY;
      }
      index = reached;
      if (waiting.isEmpty()) {
        return Notification.NOBODY;
      }
      NavigableMap<Long, CompletableFuture<Long>> awaited = waiting.headMap(index, true);
      Notification notification = new Notification(index, List.copyOf(awaited.values()));
      awaited.clear();
      return notification;
    }
  }

  /** Those who are to hear how far it is; no lock may be held meanwhile. */
  private record Notification(long index, List<CompletableFuture<Long>> waiting) {
    static final Notification NOBODY = new Notification(0, List.of());

    void tell() {
      waiting.forEach(future -> future.complete(index));
    }
  }

  private final ConcurrentHashMap<Long, Progress> ranges = new ConcurrentHashMap<>();

  /**
   * Keys that no replica here holds; those that were given away together are one gap. Guarded by
   * itself, which also orders openings.
   */
  private final MissingKeys unheld = new MissingKeys(KeyInterval.ALL);

  /**
   * The table has the range's rows, all of them and none that were there before: those of a copy,
   * or those of a replica that is opened again, or that has taken in another one.
   *
   * @param parts ranges that are part of it
   */
  void opened(long range, KeyInterval held, List<Long> parts) {
    List<Notification> told = new ArrayList<>();
    synchronized (unheld) {
      Progress progress = progress(range);
      KeyInterval before = progress.held;
      giveUp(progress, held, parts);
      List<KeyInterval> perhapsHad = before == null ? unheld.at(held) : List.of(before);
      List<Progress> fewer = new ArrayList<>(List.of(progress));
      if (!parts.isEmpty()) {
        perhapsHad = unheld.all();
        parts.forEach(part -> addUnlessGone(progress(part), fewer));
      }
      for (Progress one : fewer) {
        miss(one, perhapsHad);
      }
      progress.held = held;
      for (Progress other : ranges.values()) {
        KeyInterval here = other.held;
        if (here != null) {
          unheld.fill(here);
          fewer.forEach(one -> told.add(fill(one, here)));
        }
        told.add(fill(other, held));
      }
    }
    told.forEach(Notification::tell);
  }

  /** What it held, and what those held that are part of it, or have been, is not held any more. */
  private void giveUp(Progress progress, KeyInterval held, List<Long> parts) {
    parts.forEach(part -> giveUp(progress(part)));
    ranges.values().stream()
        .filter(other -> other == progress || (other.held != null && other.held.overlaps(held)))
        .forEach(this::giveUp);
    synchronized (progress) {
      if (progress.gone) { // a crash has undone it
        progress.gone = false;
        progress.index = 0;
      }
    }
  }

  private void giveUp(Progress progress) {
    KeyInterval before = progress.held;
    if (before != null) {
      unheld.add(before);
      progress.held = null;
    }
  }

  /** Nothing more will come of it. */
  private static void addUnlessGone(Progress part, List<Progress> to) {
    synchronized (part) {
      if (!part.gone) {
        part.gone = true;
        part.reached = Long.MAX_VALUE;
        to.add(part);
      }
    }
  }

  private static void miss(Progress progress, List<KeyInterval> keys) {
    synchronized (progress) {
      keys.forEach(progress.missing::add);
    }
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

  private static Notification fill(Progress progress, KeyInterval held) {
    synchronized (progress) {
      if (progress.missing.isEmpty()) {
        return Notification.NOBODY;
      }
      progress.missing.fill(held);
      return progress.advance();
    }
  }

  /** The replica has applied so much. Called for each range by one thread at a time. */
  void advance(long range, long index) {
    Progress progress = progress(range);
    Notification notification;
    synchronized (progress) {
      if (!progress.gone) { // its replica may say something more
        progress.reached = index;
      }
      notification = progress.advance();
    }
    notification.tell();
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
