package io.fjordmq.broker.net;

import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.Peer;
import io.fjordmq.broker.session.ReadSlices;
import io.fjordmq.broker.session.SessionSettings;
import io.fjordmq.broker.session.Sessions;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the handlers of a connection, from the socket to the session:
 *
 * <pre>
 *   stack     layers below MQTT, if configured: PROXY protocol, TLS, WebSocket (TransportStack)
 *   frames    PacketFramer: whole packets within the size limit; rules Netty does not check
 *   decoder   Netty: bytes to packets, strict UTF-8
 *   encoder   Netty: packets to bytes; passes bytes through
 *   session   ConnectHandler until the CONNACK, then SessionHandler
 * </pre>
 */
final class MqttPipeline extends ChannelInitializer<Channel> {
  private static final Logger LOG = LoggerFactory.getLogger(MqttPipeline.class);

  private final Function<Channel, @Nullable Peer> peers;
  private final TransportStack transportStack;
  private final Sessions sessions;
  private final int maxConnections;
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * @param peers returns the peer of a new connection; null if the connection is already closed
   */
  MqttPipeline(
      Function<Channel, @Nullable Peer> peers,
      TransportStack transportStack,
      Sessions sessions,
      int maxConnections) {
    this.peers = peers;
    this.transportStack = transportStack;
    this.sessions = sessions;
    this.maxConnections = maxConnections;
  }

  @Override
  protected void initChannel(Channel channel) {
    Peer peer = peers.apply(channel);
    if (peer == null) {
      channel.close();
      return;
    }
    peer.attachTo(channel);
    if (connections.incrementAndGet() > maxConnections) {
      connections.decrementAndGet();
      sessions.observer().refused(CloseReason.TOO_MANY_CONNECTIONS);
      LOG.debug("Connection from {}: too many connections", peer);
      channel.close();
      return;
    }
    channel.closeFuture().addListener(closed -> connections.decrementAndGet());
    if (channel.parent() != null && !admitDescriptor(channel)) {
      return;
    }
    SessionSettings settings = sessions.settings();
    ChannelPipeline pipeline = channel.pipeline();
    transportStack.addTo(channel);
    ReadSlices slices = sessions.newSlices(channel);
    pipeline.addLast("frames", new PacketFramer(settings.maxPacketBytes(), slices));
    // The framer has already checked the size, by the tenant's limit once the tenant is known. The
    // length of the client identifier is checked with the CONNECT.
    pipeline.addLast("decoder", new MqttDecoder(SessionSettings.LARGEST_PACKET, 65_535, true));
    pipeline.addLast("encoder", MqttEncoder.INSTANCE);
    pipeline.addLast("session", sessions.newConnection(slices));
  }

  /** Only for connections of listeners: an adopted channel may have no file descriptor. */
  private boolean admitDescriptor(Channel channel) {
    Overload overload = sessions.overload();
    if (overload.admitConnection()) {
      channel.closeFuture().addListener(closed -> overload.connectionEnded());
      return true;
    }
    sessions.observer().refused(CloseReason.NO_FILE_DESCRIPTORS);
    channel.close();
    return false;
  }

  /** Open connections of this listener. */
  int connections() {
    return connections.get();
  }
}
