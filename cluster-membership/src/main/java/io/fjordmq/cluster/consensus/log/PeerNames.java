package io.fjordmq.cluster.consensus.log;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.MalformedBytesException;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Converts between node ids and jraft's peers. In place of an address, jraft gets the node id and
 * port 0: a node keeps its identity when its address changes, and the transport resolves ids with
 * the address book.
 */
public final class PeerNames {
  private PeerNames() {}

  public static Endpoint endpoint(NodeId node) {
    return new Endpoint(node.value(), 0);
  }

  public static PeerId peer(NodeId node) {
    return new PeerId(node.value(), 0);
  }

  public static NodeId node(PeerId peer) {
    return new NodeId(peer.getIp());
  }

  public static NodeId node(Endpoint endpoint) {
    return new NodeId(endpoint.getIp());
  }

  public static PeerId parse(String text) {
    PeerId peer = new PeerId();
    if (!peer.parse(text)) {
      throw new MalformedBytesException("malformed Raft peer: '" + text + "'");
    }
    return peer;
  }

  public static Configuration configuration(ReplicaSet replicas) {
    Configuration configuration = new Configuration();
    replicas.voters().forEach(voter -> configuration.addPeer(peer(voter)));
    replicas.learners().forEach(learner -> configuration.addLearner(peer(learner)));
    return configuration;
  }

  static Set<NodeId> nodes(Collection<PeerId> peers) {
    return peers.stream().map(PeerNames::node).collect(Collectors.toUnmodifiableSet());
  }

  public static ReplicaSet replicas(Configuration configuration) {
    return new ReplicaSet(nodes(configuration.getPeers()), nodes(configuration.getLearners()));
  }
}
