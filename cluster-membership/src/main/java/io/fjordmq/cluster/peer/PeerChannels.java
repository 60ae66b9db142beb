package io.fjordmq.cluster.peer;

import com.google.protobuf.UnsafeByteOperations;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.peer.PeerException.Kind;
import io.fjordmq.cluster.peer.proto.HelloReplyMessage;
import io.fjordmq.cluster.peer.proto.PeersGrpc;
import io.fjordmq.cluster.peer.proto.Request;
import io.fjordmq.cluster.peer.proto.Response;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.cluster.tls.ReloadingContext;
import io.fjordmq.common.net.EventLoops;
import io.fjordmq.common.net.SocketTransport;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to other nodes. A node without an identity uses this class to contact its
 * seeds; later it uses {@link PeerPort}. Thread-safe.
 */
public final class PeerChannels implements HelloClient, AddressCalls, AutoCloseable {
  private static final long STOP_MILLIS = 5_000;

  /** The prefix that Netty adds to the error of a system call, such as {@code Broken pipe}. */
  private static final Pattern NATIVE_CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

  private final PeerSettings settings;
  private final @Nullable SslContext tls;
  private final SocketTransport sockets;
  private final EventLoopGroup eventLoops;
  private final Set<ManagedChannel> channels = ConcurrentHashMap.newKeySet();

  private PeerChannels(
      PeerSettings settings,
      @Nullable SslContext tls,
      SocketTransport sockets,
      EventLoopGroup eventLoops) {
    this.settings = settings;
    this.sockets = sockets;
    this.tls = tls;
    this.eventLoops = eventLoops;
  }

  /**
   * Starts the threads. Opens no connection.
   *
   * @param tls null for plaintext
   * @throws IOException if a TLS file cannot be used; the message names it and explains why
   */
  public static PeerChannels open(PeerSettings settings, @Nullable ClusterTls tls)
      throws IOException {
    SocketTransport sockets = SocketTransport.best();
    EventLoopGroup eventLoops =
        new EventLoops(
            settings.ioThreads(), new DefaultThreadFactory("peer-io", true), sockets.ioHandlers());
    try {
      SslContext context =
          tls == null
              ? null
              : ReloadingContext.open(
                  "outgoing calls",
                  tls,
                  () -> GrpcSslContexts.configure(tls.clientContext()).build(),
                  eventLoops);
      return new PeerChannels(settings, context, sockets, eventLoops);
    } catch (IOException e) {
      eventLoops.shutdownGracefully(0, STOP_MILLIS, TimeUnit.MILLISECONDS);
      throw e;
    }
  }

  EventLoopGroup eventLoops() {
    return eventLoops;
  }

  SocketTransport sockets() {
    return sockets;
  }

  /** Creates a channel to the address that connects when it is first used. */
  ManagedChannel newChannel(InetSocketAddress address) {
    return newChannel(NettyChannelBuilder.forAddress(address));
  }

  private ManagedChannel newChannel(NettyChannelBuilder to) {
    NettyChannelBuilder builder =
        to.eventLoopGroup(eventLoops)
            .channelType(sockets.channel())
            .withOption(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(settings.connectTimeout().toMillis()))
            .directExecutor()
            .disableRetry()
            .proxyDetector(target -> null)
            .maxInboundMessageSize(settings.maxMessageBytes() + PeerProtocol.OVERHEAD_BYTES);
    ManagedChannel channel =
        (tls == null ? builder.usePlaintext() : builder.sslContext(tls)).build();
    channels.removeIf(ManagedChannel::isTerminated);
    channels.add(channel);
    return channel;
  }

  @Override
  public CompletableFuture<HelloReply> sendHello(
      NodeAddress address, Hello hello, Duration timeout) {
    CompletableFuture<HelloReply> result = new CompletableFuture<>();
    ManagedChannel channel =
        newChannel(NettyChannelBuilder.forAddress(address.host(), address.port()));
    PeersGrpc.newStub(channel)
        .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .greet(PeerProtocol.encode(hello), new HelloReplyObserver(address, result));
    return result.whenComplete((helloReply, failure) -> channel.shutdownNow());
  }

  @Override
  public CompletableFuture<byte[]> ask(
      NodeAddress address, String service, byte[] request, Duration timeout) {
    CompletableFuture<byte[]> result = new CompletableFuture<>();
    ManagedChannel channel =
        newChannel(NettyChannelBuilder.forAddress(address.host(), address.port()));
    Request message =
        Request.newBuilder()
            .setService(service)
            .setBody(UnsafeByteOperations.unsafeWrap(request))
            .build();
    PeersGrpc.newStub(channel)
        .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .ask(message, new ResponseObserver(address, result));
    return result.whenComplete((response, failure) -> channel.shutdownNow());
  }

  private record ResponseObserver(NodeAddress address, CompletableFuture<byte[]> result)
      implements StreamObserver<Response> {
    @Override
    public void onNext(Response message) {
      result.complete(message.getBody().toByteArray());
    }

    @Override
    public void onError(Throwable failure) {
      result.completeExceptionally(
          Status.fromThrowable(failure).getCode() == Status.Code.UNIMPLEMENTED
              ? new PeerException(Kind.NOT_SENT, address + " does not serve such requests", failure)
              : PeerChannels.failure(address, failure));
    }

    @Override
    public void onCompleted() {
      result.completeExceptionally(
          new PeerException(Kind.REFUSED, address + " is not a FjordMQ node"));
    }
  }

  private record HelloReplyObserver(NodeAddress address, CompletableFuture<HelloReply> result)
      implements StreamObserver<HelloReplyMessage> {
    @Override
    public void onNext(HelloReplyMessage message) {
      try {
        result.complete(PeerProtocol.decode(message));
      } catch (IllegalArgumentException e) {
        result.completeExceptionally(
            new PeerException(
                Kind.REFUSED,
                "invalid hello response from %s: %s".formatted(address, e.getMessage())));
      }
    }

    @Override
    public void onError(Throwable failure) {
      result.completeExceptionally(PeerChannels.failure(address, failure));
    }

    @Override
    public void onCompleted() {
      result.completeExceptionally(
          new PeerException(Kind.REFUSED, address + " is not a FjordMQ node"));
    }
  }

  private static PeerException failure(NodeAddress address, Throwable failure) {
    Status status = Status.fromThrowable(failure);
    return switch (status.getCode()) {
      case UNAVAILABLE ->
          new PeerException(
              Kind.NOT_SENT, address + " cannot be reached: " + reason(status), failure);
      case DEADLINE_EXCEEDED ->
          new PeerException(Kind.NO_RESPONSE, address + " did not respond in time", failure);
      case PERMISSION_DENIED -> new PeerException(Kind.FENCED, reason(status), failure);
      case ALREADY_EXISTS -> new PeerException(Kind.IN_USE, reason(status), failure);
      default ->
          new PeerException(
              Kind.REFUSED, address + " refused the request: " + reason(status), failure);
    };
  }

  /**
   * Describes a status for log lines and operators. The root cause is the error that the network or
   * TLS reported; common ones have a text that does not depend on the transport.
   */
  static String reason(Status status) {
    Throwable cause = status.getCause();
    String known = connectFailure(cause);
    if (known != null) {
      return known;
    }
    while (cause != null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String description = status.getDescription();
    if (cause == null) {
      return description == null ? status.getCode().name() : description;
    }
    return cause.getMessage() == null
        ? cause.toString()
        : NATIVE_CALL.matcher(cause.getMessage()).replaceFirst("");
  }

  /** Returns why a connection could not be opened; null for any other reason. */
  private static @Nullable String connectFailure(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
      if (cause instanceof ConnectTimeoutException) {
        return "connection timed out";
      } else if (cause instanceof UnknownHostException) {
        return "unknown host";
      } else if (cause instanceof NoRouteToHostException || message.contains("no route to host")) {
        return "no route to host";
      } else if (message.contains("connection refused")) {
        return "connection refused";
      } else if (message.contains("connection reset")) {
        return "connection reset";
      }
    }
    return null;
  }

  /** Closes all connections; pending calls fail. Blocks until the threads have stopped. */
  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    try {
      for (ManagedChannel channel : channels) { // channels use the event loops until they terminate
        channel.awaitTermination(STOP_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    eventLoops
        .shutdownGracefully(0, STOP_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(2 * STOP_MILLIS);
  }
}
