package io.fjordmq.broker.net;

import io.fjordmq.broker.session.Sessions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of a node and the event loops its clients live on. */
public final class MqttServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MqttServer.class);

  /** First guess of what a read brings; netty adapts it per connection. */
  private static final int FIRST_READ_BYTES = 512;

  private static final int LARGEST_READ_BYTES = 64 << 10;
  private static final Duration SHUTDOWN_AT_CLOSE = Duration.ofSeconds(5);

  /** A listener that is open. */
  public record Listener(ListenerSettings settings, int port) {}

  private final Sessions sessions;
  private final EventLoopGroup acceptors;
  private final EventLoopGroup workers;
  private final List<Channel> channels = new ArrayList<>();
  private final List<Listener> listeners = new ArrayList<>();

  private MqttServer(Sessions sessions, EventLoopGroup acceptors, EventLoopGroup workers) {
    this.sessions = sessions;
    this.acceptors = acceptors;
    this.workers = workers;
  }

  /**
   * Opens all listeners, or none.
   *
   * @param workerThreads event loops for clients; 0 = half as many as there are processors
   * @throws IllegalStateException if one cannot be opened; the message names it and what to do
   */
  public static MqttServer start(
      List<ListenerSettings> listeners, Transport transport, int workerThreads, Sessions sessions) {
    int threads = workerThreads > 0 ? workerThreads : halfOfTheProcessors();
    MqttServer server =
        new MqttServer(
            sessions, group("mqtt-accept", 1, transport), group("mqtt-io", threads, transport));
    try {
      for (ListenerSettings settings : listeners) {
        server.open(settings, transport);
      }
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** The other half is for the stores; and fewer loops hand fewer messages to each other. */
  private static int halfOfTheProcessors() {
    return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  }

  private static EventLoopGroup group(String name, int threads, Transport transport) {
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(name), transport.handlers());
  }

  private void open(ListenerSettings settings, Transport transport) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(acceptors, workers)
            .channel(transport.serverChannel())
            .option(ChannelOption.SO_BACKLOG, settings.backlog())
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(
                    settings.writeBufferLowBytes(), settings.writeBufferHighBytes()))
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(64, FIRST_READ_BYTES, LARGEST_READ_BYTES))
            .childHandler(
                new MqttPipeline(
                    settings.name(),
                    MqttPipeline.Wire.plain(),
                    sessions,
                    settings.maxConnections()));
    InetSocketAddress address =
        settings.host().isEmpty()
            ? new InetSocketAddress(settings.port())
            : new InetSocketAddress(settings.host(), settings.port());
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    Throwable cause = bound.cause();
    if (cause != null) {
      throw new IllegalStateException(cannotListen(settings, address, cause), cause);
    }
    channels.add(bound.channel());
    int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
    listeners.add(new Listener(settings, port));
    log.info("MQTT on {}:{} ({})", address.getHostString(), port, transport.name());
  }

  private static String cannotListen(
      ListenerSettings settings, InetSocketAddress address, Throwable cause) {
    return "cannot listen on "
        + address.getHostString()
        + ":"
        + settings.port()
        + ": "
        + cause.getMessage()
        + "; change "
        + settings.key()
        + ".host or "
        + settings.key()
        + ".port, or stop whatever uses it";
  }

  /** The event loops clients live on. */
  public Iterable<? extends Executor> loops() {
    return workers;
  }

  /** The open listeners with the ports they really have. */
  public List<Listener> listeners() {
    return List.copyOf(listeners);
  }

  /**
   * Accepts no more clients, says goodbye to all (MQTT 5: 0x8B) and waits until their sessions are
   * given back, which needs the stores. Blocks; not for event loops.
   *
   * @param patience how long at most
   * @return true if every session was given back in time
   */
  public boolean shutdown(Duration patience) {
    channels.forEach(channel -> channel.close().awaitUninterruptibly());
    boolean clean = true;
    try {
      sessions.shutDown().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      clean = false;
      log.warn("{} sessions were not given back within {}", sessions.size(), patience);
    } catch (ExecutionException e) {
      throw new IllegalStateException("ending the sessions failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      clean = false;
    }
    stop(acceptors);
    stop(workers);
    return clean;
  }

  private static void stop(EventLoopGroup group) {
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
  }

  /** {@link #shutdown} with a patience of five seconds. */
  @Override
  public void close() {
    if (!workers.isShuttingDown()) {
      shutdown(SHUTDOWN_AT_CLOSE);
    }
  }
}
