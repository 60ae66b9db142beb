package io.fjordmq.broker.dispatch.seeded;

import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.cluster.NodeId;

/** A mailbox that knows other nodes. */
public final class MailboxThatKnowsNodes {
  private MailboxThatKnowsNodes() {}

  static boolean isCongested(NodeStreams streams, NodeId node) {
    return streams.find(node.value()) == null;
  }
}
