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
     */
    CompletableFuture<Page<P, T>> fetch(P from, int maxRows);
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

    Cursor(Source<P, T> source, P from) {
      this.source = source;
      this.next = from;
    }

    /** The lowest position at which this list may have another row. */
    P lowest() {
      T head = rows.peek();
      return head == null ? next : order.positionOf.apply(head);
    }

    void add(Page<P, T> page) {
      rows.addAll(page.rows);
      next = page.next;
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
   * @param executor runs the merge; one task at a time
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
        behind.stream()
            .map(cursor -> cursor.source.fetch(cursor.next, wanted).thenAccept(cursor::add))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Merges as many rows as possible; returns the lists that must be read first, if any. */
  private List<Cursor> merge() {
    while (merged.size() < limit) {
      P lowest = lowest();
      if (isEnd(lowest)) {
        return List.of();
      }
      List<Cursor> behind =
          cursors.stream()
              .filter(cursor -> cursor.rows.isEmpty() && cursor.next.compareTo(lowest) <= 0)
              .toList();
      if (!behind.isEmpty()) {
        return behind;
      }
      take(lowest);
    }
    return List.of();
  }

  private void take(P position) {
    T row = null;
    for (Cursor cursor : cursors) {
      if (cursor.lowest().compareTo(position) == 0 && !cursor.rows.isEmpty()) {
        T part = cursor.rows.remove();
        row = row == null ? part : order.combine.apply(row, part);
        if (cursor.rows.isEmpty()) {
          P after = order.after.apply(part);
          cursor.next = cursor.next.compareTo(after) < 0 ? after : cursor.next;
        }
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
      P at = cursor.lowest();
      lowest = at.compareTo(lowest) < 0 ? at : lowest;
    }
    return lowest;
  }

  private boolean isEnd(P position) {
    return position.compareTo(order.end) >= 0;
  }
}
