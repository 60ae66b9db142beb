package io.fjordmq.broker.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
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
   *
   * @param needsIssuers see {@link io.fjordmq.broker.protocol.ClientConnections#needsIssuers}
   */
  static TransportStack of(
      ListenerSettings settings,
      @Nullable ServerTls tls,
      boolean needsIssuers,
      ListenerObserver observer) {
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
            new QueuedHandshakeHandler(
                handshakeQueue, ctx -> addTlsHandlers(ctx, tls, needsIssuers, observer)));
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
      ChannelHandlerContext ctx, ServerTls tls, boolean needsIssuers, ListenerObserver observer) {
    SslHandler handler = tls.newHandler(ctx.alloc());
    ctx.pipeline().addAfter(ctx.name(), "tls", handler);
    List<X509Certificate> trusted = needsIssuers ? tls.trusted() : null;
    ctx.pipeline()
        .addAfter("tls", "handshake", new TlsHandshakeHandler(handler, trusted, observer));
  }
}
