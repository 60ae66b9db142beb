package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.proto.AnswererMessage;
import io.fjordmq.cluster.peer.proto.AskerMessage;
import io.fjordmq.cluster.peer.proto.HelloMessage;
import io.fjordmq.cluster.peer.proto.IntroductionMessage;
import io.fjordmq.cluster.peer.proto.Opening;
import io.fjordmq.cluster.peer.proto.PeersGrpc;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What other nodes may ask of this one. Called by the threads of their connections. */
final class PeerServer extends PeersGrpc.PeersImplBase {
  private final String clusterId;
  private final NodeId self;
  private final PeerSettings settings;
  private final Map<String, PeerServices.Handler> services = new ConcurrentHashMap<>();
  private final Map<NodeId, AnsweringStream> streams = new ConcurrentHashMap<>();
  private volatile @Nullable Function<Hello, Introduction> introducing;

  PeerServer(String clusterId, NodeId self, PeerSettings settings) {
    this.clusterId = clusterId;
    this.self = self;
    this.settings = settings;
  }

  NodeId self() {
    return self;
  }

  void serve(String service, PeerServices.Handler handler) {
    if (services.putIfAbsent(service, handler) != null) {
      throw new IllegalStateException("'" + service + "' is served already");
    }
  }

  void introduceBy(Function<Hello, Introduction> answer) {
    introducing = answer;
  }

  PeerServices.@Nullable Handler handler(String service) {
    return services.get(service);
  }

  /**
   * @throws IllegalArgumentException if the opening is not for this node; says so to the operator
   *     of the node that asks
   */
  void requireMeant(Opening opening, NodeId from) {
    if (opening.getProtocol() != PeerProtocol.VERSION) {
      throw new IllegalArgumentException(
          "node "
              + self
              + " does not understand node "
              + from
              + ", which speaks "
              + versionOf(opening, from));
    }
    if (!opening.getCluster().equals(clusterId)) {
      throw new IllegalArgumentException(
          "node %s belongs to cluster %s, node %s to cluster %s: two clusters know each other's addresses, look at their seeds"
              .formatted(self, clusterId, from, opening.getCluster()));
    }
    if (!opening.getTo().equals(self.value())) {
      throw new IllegalArgumentException(
          "node %s meant to reach node %s but this is %s: its address has changed"
              .formatted(from, opening.getTo(), self));
    }
    if (from.equals(self)) {
      throw new IllegalArgumentException(
          "another process calls itself node %s: a data directory was copied".formatted(self));
    }
  }

  private String versionOf(Opening opening, NodeId from) {
    return "version %d of the protocol between nodes, not version %d: upgrade node %s"
        .formatted(
            opening.getProtocol(),
            PeerProtocol.VERSION,
            opening.getProtocol() > PeerProtocol.VERSION ? self : from);
  }

  /** Of several connections of a node only the last is served. */
  void replace(NodeId from, AnsweringStream stream) {
    AnsweringStream before = streams.put(from, stream);
    if (before != null) {
      before.replaced();
    }
  }

  void gone(NodeId from, AnsweringStream stream) {
    streams.remove(from, stream);
  }

  @Override
  public void greet(HelloMessage request, StreamObserver<IntroductionMessage> answer) {
    Function<Hello, Introduction> introduction = introducing;
    if (introduction == null) {
      answer.onError(
          Status.UNAVAILABLE
              .withDescription("node " + self + " is still starting")
              .asRuntimeException());
      return;
    }
    try {
      answer.onNext(PeerProtocol.encode(introduction.apply(PeerProtocol.decode(request))));
      answer.onCompleted();
    } catch (IllegalArgumentException e) {
      answer.onError(
          Status.FAILED_PRECONDITION.withDescription(e.getMessage()).asRuntimeException());
    }
  }

  @Override
  public StreamObserver<AskerMessage> converse(StreamObserver<AnswererMessage> answers) {
    return new AnsweringStream(this, (ServerCallStreamObserver<AnswererMessage>) answers, settings);
  }
}
