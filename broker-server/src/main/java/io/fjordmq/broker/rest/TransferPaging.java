package io.fjordmq.broker.rest;

import org.jspecify.annotations.Nullable;

/** The paging of exports, whose pages are small and have only cursors. */
final class TransferPaging {
  static final String LIMIT = "limit";

  private TransferPaging() {}

  static Parameter limit(int max) {
    return Parameter.number(LIMIT, "Maximum number of elements", 1, max).orElse(max);
  }

  static Meta meta(Request request, @Nullable String next) {
    return new Meta(1, request.number(LIMIT), next != null, null, next, null);
  }
}
