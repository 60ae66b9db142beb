package io.fjordmq.broker.rest.seeded;

import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.NodeId;

/** A resource that knows sessions and the metadata. */
public final class ResourceThatKnowsTooMuch {
  private ResourceThatKnowsTooMuch() {}

  static String describe(Sessions sessions, NodeId node) {
    return node + " has " + sessions.size();
  }
}
