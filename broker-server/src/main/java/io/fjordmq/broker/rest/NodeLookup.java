package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.NodeNames;
import java.util.List;

/** Finds the node that a request names by its id or name. */
final class NodeLookup {
  private static final String NODE = "node";

  private final NodeNames names;

  NodeLookup(NodeNames names) {
    this.names = names;
  }

  /** The parameter in the path of an operation. */
  static Parameter parameter() {
    return Parameter.text(NODE, "Id or name of the node");
  }

  /**
   * Returns the id of the node.
   *
   * @throws ApiException 404 if no node has the id or name, 409 if several nodes have the name
   */
  String id(Request request) {
    String wanted = request.path(NODE);
    List<String> found = names.ids(wanted);
    if (found.isEmpty()) {
      throw ApiException.notFound("node '%s' does not exist".formatted(Excerpt.of(wanted)));
    }
    if (found.size() > 1) {
      throw ApiException.conflict(
          "several nodes have the name '%s'; use one of the ids %s"
              .formatted(Excerpt.of(wanted), String.join(", ", found)));
    }
    return found.get(0);
  }
}
