package io.fjordmq.broker.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds the layers below MQTT to the pipeline of a new connection, starting with the layer closest
 * to the socket.
 */
@FunctionalInterface
interface TransportStack {
  void addTo(Channel channel);

  /** Returns the stack without any layers, for MQTT directly on the socket. */
  static TransportStack plain() {
    return channel -> {};
  }

  /**
   * Returns the layers that a listener's settings require, in this order: PROXY header, TLS,
   * WebSocket.
   */
  static TransportStack of(
      ListenerSettings settings, @Nullable ServerTls tls, ListenerObserver observer) {
    boolean proxied = settings.proxy().proxyProtocol();
    List<CidrBlock> trusted = settings.proxy().networks();
    WebSocketSettings webSocket = settings.webSocket();
    HandshakeQueue handshakeQueue = new HandshakeQueue();
    return channel -> {
      ChannelPipeline pipeline = channel.pipeline();
      if (proxied) {
        ProxyHeaderHandler.addTo(pipeline, trusted);
      }
      if (tls != null) {
        pipeline.addLast(
            "queue",
            new QueuedHandshakeHandler(handshakeQueue, ctx -> addTlsHandlers(ctx, tls, observer)));
      }
      if (webSocket != null) {
        WebSocketUpgradeHandler.addTo(pipeline, webSocket);
      }
    };
  }

  /**
   * Adds the TLS handlers. Creating them is expensive, so this is deferred until the client begins
   * its handshake.
   */
  private static void addTlsHandlers(
      ChannelHandlerContext ctx, ServerTls tls, ListenerObserver observer) {
    SslHandler handler = tls.newHandler(ctx.alloc());
    ctx.pipeline().addAfter(ctx.name(), "tls", handler);
    ctx.pipeline().addAfter("tls", "handshake", new TlsHandshakeHandler(handler, observer));
  }
}
