package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;

/**
 * A list of the API and its table.
 *
 * @param path of the list
 * @param isPaged whether the API returns the list in pages
 * @param columns of the table
 */
record Listing(ApiPath path, boolean isPaged, List<Column> columns) {
  /** A list that the API returns as a whole. */
  static Listing whole(ApiPath path, List<Column> columns) {
    return new Listing(path, false, columns);
  }

  /** A list that the API returns in pages. */
  static Listing paged(ApiPath path, List<Column> columns) {
    return new Listing(path, true, columns);
  }
}
