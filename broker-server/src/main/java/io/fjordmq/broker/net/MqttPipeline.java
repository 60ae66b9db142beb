package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.ClientConnections;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Peer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets up a new connection: checks the limits of the listener and the node, adds the layers below
 * MQTT ({@link TransportStack}), and hands the connection over to {@link ClientConnections}.
 */
final class MqttPipeline extends ChannelInitializer<Channel> {
  private static final Logger LOG = LoggerFactory.getLogger(MqttPipeline.class);

  private final Function<Channel, @Nullable Peer> peerResolver;
  private final TransportStack transportStack;
  private final ClientConnections clients;
  private final int maxConnections;
  private final AtomicInteger connections = new AtomicInteger();

  // Shared by all connections, because each listener of a channel would take memory.
  private final ChannelFutureListener onClosed = closed -> onClosed(closed.channel());

  /**
   * @param peers returns the peer of a new connection; null if the connection is already closed
   */
  MqttPipeline(
      Function<Channel, @Nullable Peer> peers,
      TransportStack transportStack,
      ClientConnections clients,
      int maxConnections) {
    this.peerResolver = peers;
    this.transportStack = transportStack;
    this.clients = clients;
    this.maxConnections = maxConnections;
  }

  @Override
  protected void initChannel(Channel channel) {
    Peer peer = peerResolver.apply(channel);
    if (peer == null) {
      channel.close();
      return;
    }
    peer.attachTo(channel);
    if (connections.incrementAndGet() > maxConnections) {
      connections.decrementAndGet();
      clients.countRefused(CloseReason.TOO_MANY_CONNECTIONS);
      LOG.debug("Connection refused: the listener has reached maxConnections peer={}", peer);
      channel.close();
      return;
    }
    if (hasDescriptor(channel) && !clients.overload().admitConnection()) {
      connections.decrementAndGet();
      clients.countRefused(CloseReason.NO_FILE_DESCRIPTORS);
      channel.close();
      return;
    }
    channel.closeFuture().addListener(onClosed);
    transportStack.addTo(channel);
    clients.serve(channel);
  }

  /**
   * Whether a listener accepted the connection. Only then does it count as a file descriptor,
   * because an adopted channel may have none.
   */
  private static boolean hasDescriptor(Channel channel) {
    return channel.parent() != null;
  }

  private void onClosed(Channel channel) {
    connections.decrementAndGet();
    if (hasDescriptor(channel)) {
      clients.overload().onConnectionClosed();
    }
  }

  /** The number of open connections of this listener. */
  int connectionCount() {
    return connections.get();
  }
}
