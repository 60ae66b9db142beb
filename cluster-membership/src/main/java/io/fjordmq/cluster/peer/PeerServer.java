package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.peer.proto.ClientMessage;
import io.fjordmq.cluster.peer.proto.HelloMessage;
import io.fjordmq.cluster.peer.proto.HelloReplyMessage;
import io.fjordmq.cluster.peer.proto.Opening;
import io.fjordmq.cluster.peer.proto.PeersGrpc;
import io.fjordmq.cluster.peer.proto.ServerMessage;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The gRPC service that other nodes call, on the threads of their connections. */
final class PeerServer extends PeersGrpc.PeersImplBase {
  private final String clusterId;
  private final NodeId self;
  private final PeerSettings settings;
  private final StartFence fence;
  private final Consumer<NodeId> onConnected;
  private final Map<String, PeerServices.Handler> services = new ConcurrentHashMap<>();
  private final Map<NodeId, ServerStream> streams = new ConcurrentHashMap<>();
  private volatile @Nullable Function<Hello, HelloReply> helloHandler;

  /**
   * @param onConnected called for each node that has connected to this one
   */
  PeerServer(
      String clusterId,
      NodeId self,
      PeerSettings settings,
      StartFence fence,
      Consumer<NodeId> onConnected) {
    this.onConnected = onConnected;
    this.clusterId = clusterId;
    this.fence = fence;
    this.self = self;
    this.settings = settings;
  }

  NodeId self() {
    return self;
  }

  void serve(String service, PeerServices.Handler handler) {
    if (services.putIfAbsent(service, handler) != null) {
      throw new IllegalStateException("'" + service + "' already has a handler");
    }
  }

  void setHelloHandler(Function<Hello, HelloReply> response) {
    helloHandler = response;
  }

  PeerServices.@Nullable Handler handler(String service) {
    return services.get(service);
  }

  StartFence fence() {
    return fence;
  }

  /**
   * Checks that an opening message is meant for this node and returns the protocol version to use.
   *
   * @throws IllegalArgumentException if it is not; the message is for the operator of the calling
   *     node
   */
  int checkOpening(Opening opening, NodeId from) {
    int version;
    try {
      version = PeerProtocol.requireVersion(opening.getLowestProtocol(), opening.getProtocol());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "node %s refuses node %s: %s".formatted(self, from, e.getMessage()), e);
    }
    if (!opening.getCluster().equals(clusterId)) {
      throw new IllegalArgumentException(
          "node %s belongs to cluster %s, node %s to cluster %s; correct clusterConfig.seedEndpoints of both clusters"
              .formatted(self, clusterId, from, opening.getCluster()));
    }
    if (!opening.getTo().equals(self.value())) {
      throw new IllegalArgumentException(
          "node %s tried to reach node %s, but this address now belongs to node %s"
              .formatted(from, opening.getTo(), self));
    }
    return version;
  }

  /** Replaces the connection from a node: only its latest one is served. */
  void replace(NodeId from, ServerStream stream) {
    ServerStream before = streams.put(from, stream);
    if (before != null) {
      before.onReplaced();
    }
    onConnected.accept(from);
  }

  void onStreamClosed(NodeId from, ServerStream stream) {
    streams.remove(from, stream);
  }

  @Override
  public void greet(HelloMessage request, StreamObserver<HelloReplyMessage> response) {
    Function<Hello, HelloReply> handler = helloHandler;
    if (handler == null) {
      response.onError(
          Status.UNAVAILABLE
              .withDescription("node " + self + " is still starting")
              .asRuntimeException());
      return;
    }
    try {
      Hello hello = PeerProtocol.decode(request);
      StartFence.Refusal refusal = refusal(hello);
      if (refusal != null) {
        response.onError(PeerRefusals.encode(refusal));
        return;
      }
      int version = PeerProtocol.requireVersion(request.getLowestProtocol(), request.getProtocol());
      response.onNext(PeerProtocol.encode(handler.apply(hello), version));
      response.onCompleted();
    } catch (IllegalArgumentException e) {
      response.onError(
          Status.FAILED_PRECONDITION.withDescription(e.getMessage()).asRuntimeException());
    }
  }

  private StartFence.@Nullable Refusal refusal(Hello hello) {
    NodeId from = hello.node();
    StartStamp start = hello.start();
    return from != null && start != null && clusterId.equals(hello.clusterId())
        ? fence.refusal(from, start)
        : null;
  }

  @Override
  public StreamObserver<ClientMessage> converse(StreamObserver<ServerMessage> responses) {
    return new ServerStream(this, (ServerCallStreamObserver<ServerMessage>) responses, settings);
  }
}
