package io.fjordmq.broker.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The position of a page in a list.
 *
 * @param page the number of the page, from 1
 * @param limit the maximum number of elements on a page
 * @param hasnext whether there are more elements
 * @param count the number of elements of all pages; null if unknown
 * @param cursor the value of the parameter {@code cursor} for the next page; null on the last page
 *     or if the list has no cursors
 * @param partial what is missing and why, such as nodes that did not respond; null if the page is
 *     complete
 */
public record Meta(
    @Field("Page number, from 1") int page,
    @Field("Maximum number of elements per page") int limit,
    @Field("Whether there are more elements") boolean hasnext,
    @Field("Number of elements on all pages; absent if unknown") @Nullable Long count,
    @Field("Value of the parameter `cursor` for the next page; absent on the last page")
        @Nullable String cursor,
    @Field("What is missing and why; absent if the page is complete")
        @Nullable List<String> partial) {

  /** The position of a page whose list is complete and has no cursors. */
  public static Meta of(Paging paging, boolean hasNext, @Nullable Long count) {
    return new Meta(paging.page(), paging.limit(), hasNext, count, null, null);
  }
}
