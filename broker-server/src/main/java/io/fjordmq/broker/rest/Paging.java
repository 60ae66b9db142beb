package io.fjordmq.broker.rest;

import java.util.List;
import java.util.Optional;

/**
 * The page that a caller requests.
 *
 * @param page the number of the page, from 1
 * @param limit the maximum number of elements on the page, 1 to {@link #MAX_LIMIT}
 * @param cursor where the page begins, from the {@link Meta} of the previous page; if present, the
 *     page number is ignored
 */
public record Paging(int page, int limit, Optional<String> cursor) {
  public static final int DEFAULT_LIMIT = 100;
  public static final int MAX_LIMIT = 10_000;

  /**
   * The maximum number of elements that a page number may skip; beyond this, callers must use a
   * cursor.
   */
  public static final int MAX_OFFSET = 100_000;

  /** The number of elements before the page. */
  public int offset() {
    return (page - 1) * limit;
  }

  /** Cuts the page out of a list that is in memory. */
  public <T> Response slice(List<T> all) {
    return slice(all, List.of());
  }

  /**
   * Returns a page that was already cut out of a list.
   *
   * @param total the number of elements of the whole list
   */
  public <T> Response list(List<T> elements, int total) {
    boolean hasNext = (long) offset() + elements.size() < total;
    return Response.list(elements, new Meta(page, limit, hasNext, (long) total, null, null));
  }

  /**
   * The same for a list that may be incomplete, whose size is then not known.
   *
   * @param problems what is missing and why; empty if the list is complete
   */
  public <T> Response slice(List<T> all, List<String> problems) {
    int from = Math.min(offset(), all.size());
    int to = Math.min(from + limit, all.size());
    Meta meta =
        new Meta(
            page,
            limit,
            to < all.size(),
            problems.isEmpty() ? (long) all.size() : null,
            null,
            problems.isEmpty() ? null : problems);
    return Response.list(all.subList(from, to), meta);
  }
}
