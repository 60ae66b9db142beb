package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.Peer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** An open listener. */
public final class Listener implements AutoCloseable {
  private final ListenerSettings settings;
  private final Channel channel;
  private final MqttPipeline pipeline;
  private final int port;
  private final @Nullable UnixSocketFile file;

  private Listener(
      ListenerSettings settings,
      Channel channel,
      MqttPipeline pipeline,
      int port,
      @Nullable UnixSocketFile file) {
    this.settings = settings;
    this.pipeline = pipeline;
    this.channel = channel;
    this.port = port;
    this.file = file;
  }

  /**
   * Opens a listener. Blocks.
   *
   * @throws IllegalStateException if the listener cannot be opened; the message names the address
   *     and the keys to change
   */
  static Listener open(
      ListenerSettings settings,
      Transport transport,
      EventLoopGroup acceptors,
      EventLoopGroup workers,
      MqttPipeline pipeline) {
    SocketSettings socket = settings.socket();
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(acceptors, workers)
            .option(ChannelOption.SO_BACKLOG, socket.backlog())
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(
                    socket.writeBufferLowBytes(), socket.writeBufferHighBytes()))
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, new ReadBuffers())
            .childHandler(pipeline);
    if (settings.endpoint() instanceof Endpoint.Tcp tcp) {
      return openTcp(settings, tcp, pipeline, bootstrap.channel(transport.serverChannel()));
    }
    Endpoint.Unix unix = (Endpoint.Unix) settings.endpoint();
    UnixSocketFile file =
        UnixSocketFile.acquire(settings.key(), unix, transport.name().equals("nio"));
    ChannelFuture bound =
        bootstrap
            .channel(transport.unixServerChannel())
            .bind(file.address())
            .awaitUninterruptibly();
    Throwable cause = bound.cause();
    if (cause != null) {
      throw cannotListen(settings, unix.path(), ".path", cause);
    }
    file.open();
    return new Listener(settings, bound.channel(), pipeline, 0, file);
  }

  private static Listener openTcp(
      ListenerSettings settings,
      Endpoint.Tcp endpoint,
      MqttPipeline pipeline,
      ServerBootstrap bootstrap) {
    bootstrap
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true);
    InetSocketAddress address =
        endpoint.host().isEmpty()
            ? new InetSocketAddress(endpoint.port())
            : new InetSocketAddress(endpoint.host(), endpoint.port());
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    Throwable cause = bound.cause();
    if (cause != null) {
      String place = address.getHostString() + ":" + endpoint.port();
      throw cannotListen(settings, place, ".host or " + settings.key() + ".port", cause);
    }
    int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
    return new Listener(settings, bound.channel(), pipeline, port, null);
  }

  private static IllegalStateException cannotListen(
      ListenerSettings settings, String place, String keys, Throwable cause) {
    return new IllegalStateException(
        "cannot listen on "
            + place
            + ": "
            + cause.getMessage()
            + "; change "
            + settings.key()
            + keys
            + ", or stop the process that uses that address",
        cause);
  }

  /** Returns the peer of a new connection; null if the connection is already closed. */
  static @Nullable Peer peer(ListenerSettings settings, String name, Channel channel) {
    if (settings.endpoint() instanceof Endpoint.Unix unix) {
      return Peer.plain(name, new DomainSocketAddress(unix.path()));
    }
    SocketAddress remote = channel.remoteAddress();
    return remote == null ? null : Peer.plain(name, remote);
  }

  /** Adds a handler for failed accepts, after Netty's own handler. */
  void addAcceptFailureHandler(AcceptFailureHandler failures) {
    channel.pipeline().addLast(failures);
  }

  public ListenerSettings settings() {
    return settings;
  }

  /** The bound port; 0 for a Unix domain socket. */
  public int port() {
    return port;
  }

  /** The number of open connections, including those that have not sent a CONNECT yet. */
  int connectionCount() {
    return pipeline.connectionCount();
  }

  /** The current state. Thread-safe. */
  public ListenerStatus status() {
    return new ListenerStatus(
        settings.name(),
        settings.type(),
        settings.bind(port),
        url(),
        connectionCount(),
        settings.socket().maxConnections());
  }

  /** The URL that clients connect to. */
  public String url() {
    return settings.url(port);
  }

  /** Stops accepting connections; open connections remain open. Blocks. */
  @Override
  public void close() {
    if (file != null) {
      file.remove();
    }
    channel.close().awaitUninterruptibly();
  }
}
