package io.fjordmq.cluster.peer;

import com.google.protobuf.UnsafeByteOperations;
import io.fjordmq.cluster.peer.proto.HelloMessage;
import io.fjordmq.cluster.peer.proto.HelloReplyMessage;
import io.fjordmq.cluster.peer.proto.PeersGrpc;
import io.fjordmq.cluster.peer.proto.Request;
import io.fjordmq.cluster.peer.proto.Response;
import io.fjordmq.cluster.tls.ClusterTls;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cluster port of a node that has no identity yet: it serves single requests of other such
 * nodes, and refuses hellos. Must be closed before {@link PeerPort} opens the same port.
 */
public final class WaitingPort implements AutoCloseable {
  private final GrpcServer server;

  private WaitingPort(GrpcServer server) {
    this.server = server;
  }

  /**
   * Opens the port.
   *
   * @param channels of this node; must be closed after the port
   * @param service the name of the only service
   * @param handler handles a request on a thread of the connection, which must not be blocked; if
   *     its result fails, the caller receives the message
   * @throws IOException if the port cannot be opened or a TLS file cannot be used; the message
   *     explains why
   */
  public static WaitingPort open(
      InetSocketAddress bind,
      @Nullable ClusterTls tls,
      PeerSettings settings,
      PeerChannels channels,
      String service,
      Function<byte[], CompletableFuture<byte[]>> handler)
      throws IOException {
    return new WaitingPort(
        GrpcServer.open(bind, tls, settings, channels, new Service(service, handler)));
  }

  @Override
  public void close() {
    server.close();
  }

  private static final class Service extends PeersGrpc.PeersImplBase {
    private final String name;
    private final Function<byte[], CompletableFuture<byte[]>> handler;

    Service(String name, Function<byte[], CompletableFuture<byte[]>> handler) {
      this.name = name;
      this.handler = handler;
    }

    @Override
    public void greet(HelloMessage request, StreamObserver<HelloReplyMessage> response) {
      response.onError(
          Status.UNAVAILABLE
              .withDescription("the node at this address is also waiting for a cluster")
              .asRuntimeException());
    }

    @Override
    public void ask(Request request, StreamObserver<Response> response) {
      if (!request.getService().equals(name)) {
        response.onError(
            Status.UNIMPLEMENTED
                .withDescription("no service '" + request.getService() + "'")
                .asRuntimeException());
        return;
      }
      handle(request.getBody().toByteArray())
          .whenComplete(
              (body, failure) -> {
                if (failure == null) {
                  response.onNext(
                      Response.newBuilder().setBody(UnsafeByteOperations.unsafeWrap(body)).build());
                  response.onCompleted();
                } else {
                  response.onError(
                      Status.FAILED_PRECONDITION
                          .withDescription(failure.getMessage())
                          .asRuntimeException());
                }
              });
    }

    private CompletableFuture<byte[]> handle(byte[] request) {
      try {
        return handler.apply(request);
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }
}
