package io.fjordmq.cli.api;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Reads a list page by page, following its cursors or page numbers. Not thread-safe. */
public final class ListReader {
  private static final int PAGE = 1_000;

  /**
   * Ends the note that a page contains fewer elements because the node has searched long enough.
   */
  private static final String UNFINISHED_PAGE = "continue with the cursor";

  private static final List<String> POSITIONS = List.of("cursor", "position");

  private final ApiClient client;
  private final ApiPath path;
  private final boolean isPaged;

  /**
   * The result of reading a list.
   *
   * @param count the number of elements that were read
   * @param hasMore whether there are more elements
   * @param total the number of all elements; negative if unknown
   * @param problems the nodes whose elements are missing, and why
   */
  public record Result(int count, boolean hasMore, long total, List<String> problems) {}

  /**
   * @param isPaged whether the API accepts the parameter {@code limit}
   */
  public ListReader(ApiClient client, ApiPath path, boolean isPaged) {
    this.client = client;
    this.path = path;
    this.isPaged = isPaged;
  }

  /**
   * Reads elements.
   *
   * @param max the maximum number of elements, at least 1
   * @param page receives the elements of each page; at least one page, which may be empty
   * @throws ApiFailure if a request fails
   */
  public Result read(int max, Consumer<List<JsonNode>> page) {
    Set<String> problems = new LinkedHashSet<>();
    int limit = Math.min(max, PAGE);
    ApiPath first = isPaged ? path.with("limit", limit) : path;
    ApiPath next = first;
    int read = 0;
    for (int number = 1; ; number++) {
      JsonNode reply = client.get(next).json();
      JsonNode meta = reply.isArray() ? MissingNode.getInstance() : reply.path("meta");
      List<JsonNode> elements = new ArrayList<>();
      (reply.isArray() ? reply : reply.path("data")).forEach(elements::add);
      meta.path("partial")
          .valueStream()
          .map(JsonNode::asString)
          .filter(problem -> !problem.endsWith(UNFINISHED_PAGE)) // the next request continues
          .forEach(problems::add);
      boolean isCut = elements.size() > max - read;
      page.accept(isCut ? elements.subList(0, max - read) : elements);
      read += Math.min(elements.size(), max - read);
      boolean hasNext = meta.path("hasnext").asBoolean(false);
      if (!hasNext || read >= max) {
        long total = meta.path("count").asLong(-1);
        return new Result(read, isCut || hasNext, total, List.copyOf(problems));
      }
      next = next(first, meta, number + 1);
    }
  }

  /** Returns the path of the next page; lists have a cursor, a position or only numbers. */
  private static ApiPath next(ApiPath first, JsonNode meta, int number) {
    for (String name : POSITIONS) {
      String position = meta.path(name).asString("");
      if (!position.isEmpty()) {
        return first.with(name, position);
      }
    }
    return first.with("page", number);
  }
}
