package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.cluster.tls.ReloadingContext;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The gRPC server on the cluster port. It runs on the event loops of the outgoing connections. */
final class GrpcServer implements AutoCloseable {
  // gRPC logs a stack trace for every client that does not speak HTTP/2.
  private static final java.util.logging.Logger CONNECTIONS =
      java.util.logging.Logger.getLogger("io.grpc.netty.NettyServerTransport");

  private static final long STOP_MILLIS = 5_000;
  private static final int MAX_STREAMS_PER_CONNECTION = 4;

  private final Server server;

  private GrpcServer(Server server) {
    this.server = server;
  }

  /**
   * Opens the port.
   *
   * @param bind the address to listen on; port 0 selects a free port
   * @param tls null for plaintext
   * @throws IOException if the port cannot be opened or a TLS file cannot be used; the message
   *     explains why
   */
  static GrpcServer open(
      InetSocketAddress bind,
      @Nullable ClusterTls tls,
      PeerSettings settings,
      PeerChannels channels,
      BindableService service)
      throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(bind)
            .bossEventLoopGroup(channels.eventLoops())
            .workerEventLoopGroup(channels.eventLoops())
            .channelType(channels.sockets().serverChannel())
            .withOption(ChannelOption.SO_REUSEADDR, true)
            .directExecutor()
            .maxInboundMessageSize(settings.maxMessageBytes() + PeerProtocol.OVERHEAD_BYTES)
            .maxConcurrentCallsPerConnection(MAX_STREAMS_PER_CONNECTION)
            .handshakeTimeout(settings.connectTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .keepAliveTime(settings.idleTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .keepAliveTimeout(settings.idleTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .addService(service);
    CONNECTIONS.setLevel(java.util.logging.Level.WARNING);
    try {
      if (tls != null) {
        builder.sslContext(
            ReloadingContext.open(
                "incoming calls",
                tls,
                () -> GrpcSslContexts.configure(tls.serverContext()).build(),
                channels.eventLoops()));
      }
      return new GrpcServer(builder.build().start());
    } catch (IOException e) {
      throw new IOException(
          "the cluster port " + bind + " cannot be opened: " + rootCause(e).getMessage(), e);
    }
  }

  private static Throwable rootCause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns the address that the port listens on. */
  InetSocketAddress boundAddress() {
    SocketAddress bound = server.getListenSockets().get(0);
    if (bound instanceof InetSocketAddress address) {
      return address;
    }
    throw new IllegalStateException("the cluster port is not open");
  }

  /** Closes the port and all its connections. Blocks until no handler is running. */
  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(STOP_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
