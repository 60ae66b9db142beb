package io.fjordmq.broker.query;

import io.fjordmq.common.OperationException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Merges sorted lists that are read page by page into one sorted page. It holds at most one page of
 * each list in memory. A page that has few rows, or none, although more follow is normal: what
 * counts is how far its list has been read. Used once.
 *
 * @param <P> a position in the lists
 * @param <T> a row
 */
final class PagedMerge<P extends Comparable<P>, T> {
  /** Maximum number of rows requested at once. */
  static final int MAX_PAGE = 1_000;

  private static final int MIN_PAGE = 16;

  /** A sorted list. */
  @FunctionalInterface
  interface Source<P, T> {
    /**
     * Reads the rows at or after a position. Must not fail.
     *
     * @param maxRows &gt; 0
     * @return completes on any thread; the merge then gets the page from the supplier on its own
     *     thread
     */
    CompletableFuture<Supplier<Page<P, T>>> fetch(P from, int maxRows);
  }

  /**
   * A page of a list.
   *
   * @param next after all rows of this page, and not after any other row
   */
  record Page<P, T>(List<T> rows, P next) {}

  /**
   * The properties that all lists share.
   *
   * @param positionOf returns the position of a row
   * @param after returns the position directly after that of a row
   * @param combine combines the rows of several lists at the same position
   * @param accepts returns false for rows to omit
   * @param end position after all rows
   */
  record Order<P, T>(
      Function<T, P> positionOf,
      Function<T, P> after,
      BinaryOperator<T> combine,
      Predicate<T> accepts,
      P end) {}

  /**
   * The merged page.
   *
   * @param next where the next page starts; null if this is the last one
   * @param complete false if the time ran out before the page was full
   */
  record Merged<P, T>(List<T> rows, @Nullable P next, boolean complete) {}

  private final class Cursor {
    private final Source<P, T> source;
    private final ArrayDeque<T> rows = new ArrayDeque<>();
    private P next;

    /** The lowest position at which this list may have another row. */
    private P lowest;

    private @Nullable CompletableFuture<Supplier<Page<P, T>>> fetching;

    Cursor(Source<P, T> source, P from) {
      this.source = source;
      this.next = from;
      this.lowest = from;
    }

    boolean isBehind(P position) {
      return rows.isEmpty() && next.compareTo(position) <= 0;
    }

    CompletableFuture<?> fetch(int wanted) {
      CompletableFuture<Supplier<Page<P, T>>> started = source.fetch(next, wanted);
      fetching = started;
      return started;
    }

    void addFetched() {
      if (fetching != null) {
        Page<P, T> page = fetching.join().get();
        fetching = null;
        rows.addAll(page.rows);
        next = page.next;
        moveOn();
      }
    }

    /** Removes and returns the next row; null if it is not at this position. */
    @Nullable T take(P position) {
      if (rows.isEmpty() || lowest.compareTo(position) != 0) {
        return null;
      }
      T row = rows.remove();
      if (rows.isEmpty()) {
        P after = order.after.apply(row);
        next = next.compareTo(after) < 0 ? after : next;
      }
      moveOn();
      return row;
    }

    private void moveOn() {
      T head = rows.peek();
      lowest = head == null ? next : order.positionOf.apply(head);
    }
  }

  private final Order<P, T> order;
  private final int limit;
  private final BooleanSupplier timeIsUp;
  private final Executor executor;
  private final List<Cursor> cursors = new ArrayList<>();
  private final List<T> merged = new ArrayList<>();
  private final CompletableFuture<Merged<P, T>> result = new CompletableFuture<>();

  /**
   * @param limit maximum number of merged rows; &gt; 0
   * @param timeIsUp returns true once the page must end
   * @param executor runs the merge, one task at a time, except for what {@link #run} can do at once
   *     on the calling thread
   */
  PagedMerge(
      List<Source<P, T>> sources,
      Order<P, T> order,
      P from,
      int limit,
      BooleanSupplier timeIsUp,
      Executor executor) {
    this.order = order;
    this.limit = limit;
    this.timeIsUp = timeIsUp;
    this.executor = executor;
    sources.forEach(source -> cursors.add(new Cursor(source, from)));
  }

  CompletableFuture<Merged<P, T>> run() {
    step();
    return result;
  }

  private void step() {
    try {
      while (true) {
        cursors.forEach(Cursor::addFetched);
        List<Cursor> behind = merge();
        if (behind.isEmpty()) {
          P lowest = lowest();
          result.complete(new Merged<>(merged, isEnd(lowest) ? null : lowest, true));
          return;
        }
        if (timeIsUp.getAsBoolean()) {
          result.complete(new Merged<>(merged, lowest(), false));
          return;
        }
        CompletableFuture<Void> fetched = fetch(behind);
        if (!fetched.isDone()) {
          fetched
              .thenRunAsync(this::step, executor)
              .whenComplete((done, failure) -> onStepped(failure));
          return;
        }
        fetched.join();
      }
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  /** Handles a source that failed, or an executor that rejected the step. */
  private void onStepped(@Nullable Throwable failure) {
    if (failure != null) {
      result.completeExceptionally(OperationException.unwrap(failure));
    }
  }

  private CompletableFuture<Void> fetch(List<Cursor> behind) {
    int wanted = Math.min(MAX_PAGE, Math.max(MIN_PAGE, limit - merged.size() + 1));
    return CompletableFuture.allOf(
        behind.stream().map(cursor -> cursor.fetch(wanted)).toArray(CompletableFuture<?>[]::new));
  }

  /** Merges as many rows as possible; returns the lists that must be read first, if any. */
  private List<Cursor> merge() {
    while (merged.size() < limit) {
      P lowest = lowest();
      if (isEnd(lowest)) {
        return List.of();
      }
      if (isAnyBehind(lowest)) {
        return cursors.stream().filter(cursor -> cursor.isBehind(lowest)).toList();
      }
      take(lowest);
    }
    return List.of();
  }

  private boolean isAnyBehind(P position) {
    for (Cursor cursor : cursors) {
      if (cursor.isBehind(position)) {
        return true;
      }
    }
    return false;
  }

  private void take(P position) {
    T row = null;
    for (Cursor cursor : cursors) {
      T part = cursor.take(position);
      if (part != null) {
        row = row == null ? part : order.combine.apply(row, part);
      }
    }
    if (row != null && order.accepts.test(row)) {
      merged.add(row);
    }
  }

  /** The lowest position that has not been merged. */
  private P lowest() {
    P lowest = order.end;
    for (Cursor cursor : cursors) {
      lowest = cursor.lowest.compareTo(lowest) < 0 ? cursor.lowest : lowest;
    }
    return lowest;
  }

  private boolean isEnd(P position) {
    return position.compareTo(order.end) >= 0;
  }
}
