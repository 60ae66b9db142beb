package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.NodeNames;
import java.util.List;
import java.util.Optional;

/** Finds the node that a request names by its id or name. */
final class NodeLookup {
  private static final String NODE = "node";
  private static final int MAX_LISTED = 10;

  private final NodeNames names;

  NodeLookup(NodeNames names) {
    this.names = names;
  }

  /** The parameter in the path of an operation. */
  static Parameter parameter() {
    return Parameter.text(NODE, "Id or name of the node");
  }

  /**
   * The parameter in the query of an operation.
   *
   * @param description what the node is for, such as {@code Only the listeners of this node}
   */
  static Parameter query(String description) {
    return Parameter.text(NODE, description + " (id or name)");
  }

  /**
   * Returns the id of the node in the path.
   *
   * @throws ApiException 404 if no node has the id or name, 409 if several nodes have the name
   */
  String id(Request request) {
    return id(request.path(NODE));
  }

  /**
   * Returns the id of the node in the query; empty if the request has none.
   *
   * @throws ApiException 404 if no node has the id or name, 409 if several nodes have the name
   */
  Optional<String> find(Request request) {
    return request.text(NODE).map(this::id);
  }

  /**
   * Returns the id of a node.
   *
   * @throws ApiException 404 if no node has the id or name, 409 if several nodes have the name
   */
  String id(String wanted) {
    List<String> found = names.ids(wanted);
    if (found.isEmpty()) {
      List<String> members = names.members();
      throw ApiException.notFound(
          "node '%s' does not exist; %s"
              .formatted(
                  Excerpt.of(wanted),
                  members.size() <= MAX_LISTED
                      ? "the nodes are " + String.join(", ", members)
                      : "GET /nodes lists the nodes"));
    }
    if (found.size() > 1) {
      throw ApiException.conflict(
          "several nodes have the name '%s'; use one of the ids %s"
              .formatted(Excerpt.of(wanted), String.join(", ", found)));
    }
    return found.get(0);
  }
}
