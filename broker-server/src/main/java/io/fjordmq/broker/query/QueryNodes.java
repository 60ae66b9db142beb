package io.fjordmq.broker.query;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * The nodes that are asked: all that are alive. Nodes that are DOWN have no clients.
 *
 * @param local answers for this node
 */
record QueryNodes(Membership membership, PeerCalls peers, NodeClients local) {
  /** Time allowed for a node, or for a range of a store, to answer. */
  static final Duration READ_TIMEOUT = Duration.ofSeconds(1);

  /** Time allowed for a change, which waits until it is durable. */
  static final Duration ACT_TIMEOUT = Duration.ofSeconds(5);

  /** A node that is asked. */
  record Node(NodeId id, NodeClients clients) {
    String name() {
      return id.value();
    }
  }

  /** Returns the nodes that are alive, sorted by name. */
  List<Node> alive() {
    return membership.members().alive().stream()
        .sorted(Comparator.comparing(NodeId::value))
        .map(node -> new Node(node, clientsOf(node)))
        .toList();
  }

  private NodeClients clientsOf(NodeId node) {
    return node.equals(membership.self())
        ? local
        : new RemoteClients(peers, node, READ_TIMEOUT, ACT_TIMEOUT);
  }
}
