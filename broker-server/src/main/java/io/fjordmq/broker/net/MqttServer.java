package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.ClientConnections;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.common.net.EventLoops;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of a node and the event loops that serve its clients. */
public final class MqttServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MqttServer.class);

  /** The listener name of adopted connections. */
  private static final String ADOPTED = "none";

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final ClientConnections clients;
  private final EventLoopGroup acceptors;
  private final EventLoopGroup workers;
  private final ListenerCertificates listenerCertificates;
  private final MqttPipeline adoptedPipeline;
  private final MqttPipeline tunnelPipeline;
  private final List<Listener> listeners = new ArrayList<>();

  private MqttServer(
      ClientConnections clients,
      EventLoopGroup acceptors,
      EventLoopGroup workers,
      ListenerCertificates listenerCertificates) {
    this.clients = clients;
    this.acceptors = acceptors;
    this.workers = workers;
    this.listenerCertificates = listenerCertificates;
    this.adoptedPipeline =
        new MqttPipeline(
            channel -> Peer.plain(ADOPTED, channel.remoteAddress()),
            TransportStack.plain(),
            clients,
            Integer.MAX_VALUE);
    this.tunnelPipeline =
        new MqttPipeline(
            channel -> ((TunnelChannel) channel).peer(),
            TransportStack.plain(),
            clients,
            Integer.MAX_VALUE); // the server that carries the bytes limits its connections
  }

  /**
   * Opens all listeners. If one of them cannot be opened, none stays open.
   *
   * @param workerThreads number of event loops for clients; 0 = half the number of processors
   * @throws IllegalStateException if a listener cannot be opened; the message names the listener
   *     and the keys to change
   */
  public static MqttServer start(
      List<ListenerSettings> listeners,
      Transport transport,
      int workerThreads,
      ClientConnections clients,
      ListenerObserver observer) {
    TlsLibrary library = TlsLibrary.bestFor(listeners);
    return start(listeners, transport, library, workerThreads, clients, observer);
  }

  static MqttServer start(
      List<ListenerSettings> listeners,
      Transport transport,
      TlsLibrary library,
      int workerThreads,
      ClientConnections clients,
      ListenerObserver observer) {
    int threads = workerThreads > 0 ? workerThreads : defaultWorkerThreads();
    MqttServer server =
        new MqttServer(
            clients,
            createGroup("mqtt-accept", 1, transport),
            createGroup("mqtt-io", threads, transport),
            new ListenerCertificates(library, InstantSource.system(), observer));
    try {
      for (ListenerSettings settings : listeners) {
        server.open(settings, transport, library, observer);
      }
      server.listenerCertificates.startWatching();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Leaves half of the processors to the stores. With fewer event loops, fewer messages must cross
   * from one loop to another.
   */
  private static int defaultWorkerThreads() {
    return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  }

  private static EventLoopGroup createGroup(String name, int threads, Transport transport) {
    return new EventLoops(threads, new DefaultThreadFactory(name), transport.ioHandlers());
  }

  private void open(
      ListenerSettings settings,
      Transport transport,
      TlsLibrary library,
      ListenerObserver observer) {
    TlsSettings encryption = settings.tls();
    ServerTls tls =
        encryption == null ? null : listenerCertificates.open(settings.key(), encryption);
    String name = settings.name(); // shared by the peers of all connections
    MqttPipeline pipeline =
        new MqttPipeline(
            channel -> Listener.peer(settings, name, channel),
            TransportStack.of(settings, tls, clients.needsIssuers(), observer),
            clients,
            settings.socket().maxConnections());
    Listener listener = Listener.open(settings, transport, acceptors, workers, pipeline);
    listener.addAcceptFailureHandler(new AcceptFailureHandler(settings.key(), clients));
    listeners.add(listener);
    observer.onListening(
        settings.name(),
        settings.type(),
        settings.socket().maxConnections(),
        listener::connectionCount);
    LOG.info(
        "Listening for MQTT clients address={} transport={}{}",
        listener.url(),
        transport.name(),
        tls == null ? "" : " tls=" + library.displayName());
  }

  /**
   * Serves a connection that was not accepted by a listener, for example one from a benchmark or
   * from a program that embeds the broker. Can be called on any thread.
   *
   * @param channel a channel that has a remote address, can run on any event loop, is not
   *     registered yet, and carries MQTT bytes
   * @return a future that completes when the client may send its CONNECT
   */
  public ChannelFuture adopt(Channel channel) {
    channel.pipeline().addLast(adoptedPipeline);
    return workers.register(channel);
  }

  /**
   * Serves a client whose bytes another server of this node carries. Can be called on any thread.
   * When the method returns, the channel has an event loop.
   */
  public void serve(TunnelChannel channel) {
    channel.pipeline().addLast(tunnelPipeline);
    workers.register(channel);
  }

  /** The event loops that serve clients. */
  public Iterable<? extends Executor> eventLoops() {
    return workers;
  }

  /** The open listeners with their bound ports. */
  public List<Listener> listeners() {
    return List.copyOf(listeners);
  }

  /** The certificates of the TLS listeners. */
  public List<CertificateStatus> certificates() {
    return listenerCertificates.statuses();
  }

  /**
   * Stops accepting clients, disconnects all connected clients (MQTT 5: 0x8B) and waits until their
   * sessions are detached, which requires the stores to be open. Blocks; must not be called on an
   * event loop.
   *
   * @param timeout the maximum time to wait
   * @return true if every session was detached in time
   */
  public boolean shutdown(Duration timeout) {
    listeners.forEach(Listener::close);
    boolean clean = true;
    try {
      clients.shutDown().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      clean = false;
      LOG.warn(
          "Some sessions were not detached before the shutdown timeout"
              + " (mqttServerConfig.shutdownTimeout) sessions={} timeoutMs={}",
          clients.size(),
          timeout.toMillis());
    } catch (ExecutionException e) {
      throw new IllegalStateException("failed to end the sessions", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      clean = false;
    }
    stop(acceptors);
    stop(workers);
    listenerCertificates.close();
    return clean;
  }

  private static void stop(EventLoopGroup group) {
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
  }

  /** Calls {@link #shutdown} with a timeout of five seconds, unless it was called before. */
  @Override
  public void close() {
    if (!workers.isShuttingDown()) {
      shutdown(CLOSE_TIMEOUT);
    }
  }
}
