package io.fjordmq.perf;

import io.fjordmq.common.net.EventLoops;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The event loops of the load tool's clients. Also connects the clients, by default only to
 * loopback addresses. Any thread may connect clients.
 */
public final class ClientLoops implements AutoCloseable {
  /** Prefix of the thread names of the event loops. */
  public static final String THREAD_PREFIX = "load";

  private static final String TLS_THREAD_PREFIX = "tls-load";
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

  /**
   * How long clients wait for a broker's response, such as a TLS handshake, CONNACK or SUBACK.
   * Longer than the broker's own timeouts, so that the tool can observe when they expire.
   */
  public static final int RESPONSE_TIMEOUT_SECONDS = 60;

  /**
   * Maximum number of connections per source address, which has about 28,000 ports for connections
   * to one listener.
   */
  private static final int CONNECTIONS_PER_SOURCE = 25_000;

  private final List<InetSocketAddress> nodes;
  private final AtomicIntegerArray connections;
  private final EventLoopGroup group;
  private final Bootstrap bootstrap;
  private final @Nullable SslContext tls;

  /** Creates event loops for TCP clients of one broker on a loopback address. */
  public ClientLoops(InetSocketAddress broker, int threads) {
    this(List.of(broker), threads, null, false);
  }

  /**
   * Creates event loops for clients of several nodes.
   *
   * @param nodes at least one
   * @param tls null for plain TCP
   * @param remoteAllowed whether the user has allowed addresses other than loopback
   * @throws IllegalArgumentException if a node's address is not allowed
   */
  public ClientLoops(
      List<InetSocketAddress> nodes, int threads, @Nullable SslContext tls, boolean remoteAllowed) {
    for (InetSocketAddress node : nodes) {
      if (node.getAddress() == null) {
        throw new IllegalArgumentException("cannot resolve " + node);
      }
      if (!remoteAllowed && !node.getAddress().isLoopbackAddress()) {
        throw new IllegalArgumentException(
            "load is only allowed on loopback addresses, not on " + node);
      }
    }
    this.nodes = List.copyOf(nodes);
    this.connections = new AtomicIntegerArray(nodes.size());
    this.tls = tls;
    boolean epoll = Epoll.isAvailable();
    this.group =
        new EventLoops(
            threads,
            new DefaultThreadFactory(tls == null ? THREAD_PREFIX : TLS_THREAD_PREFIX),
            epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    this.bootstrap =
        new Bootstrap()
            .group(group)
            .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS);
  }

  /**
   * Connects to the broker, or to the first of several nodes. Completes when the broker has
   * accepted the CONNECT.
   */
  public CompletableFuture<LoadClient> connect(LoadClient client) {
    return connect(client, 0);
  }

  /** Returns the number of nodes to connect to. */
  public int nodes() {
    return nodes.size();
  }

  /** Connects to one of the nodes; the number is taken modulo the number of nodes. */
  public CompletableFuture<LoadClient> connect(LoadClient client, int node) {
    return connect(client, node, group);
  }

  /**
   * Connects to one of the nodes on a given event loop.
   *
   * @param loop one of the loops of this object, or their group
   */
  public CompletableFuture<LoadClient> connect(LoadClient client, int node, EventLoopGroup loop) {
    int index = node % nodes.size();
    bootstrap
        .clone(loop)
        .handler(handler(client))
        .connect(nodes.get(index), source(index))
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                client.connected().completeExceptionally(done.cause());
              }
            });
    return client.connected();
  }

  /**
   * Returns the source address of the next connection; null lets the system choose it. A further
   * loopback address is used whenever the ports of the previous one are used up.
   */
  private @Nullable SocketAddress source(int node) {
    int block = connections.getAndIncrement(node) / CONNECTIONS_PER_SOURCE;
    byte[] address = nodes.get(node).getAddress().getAddress();
    if (block == 0 || address.length != 4 || address[0] != 127) {
      return null;
    }
    try {
      byte[] source = {127, 1, (byte) (block >> 8), (byte) block};
      return new InetSocketAddress(InetAddress.getByAddress(source), 0);
    } catch (UnknownHostException e) {
      throw new AssertionError("any four bytes are a valid address", e);
    }
  }

  private ChannelHandler handler(LoadClient client) {
    SslContext context = tls;
    if (context == null) {
      return client;
    }
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        SslHandler handler = context.newHandler(channel.alloc());
        handler.setHandshakeTimeout(RESPONSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        channel.pipeline().addLast(handler, client);
      }
    };
  }

  /** Returns one of the loops, for periodic tasks. */
  public EventLoop next() {
    return group.next();
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
