package io.fjordmq.broker.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts what is below MQTT at the head of a new connection's pipeline, nearest the socket first. */
@FunctionalInterface
interface Wire {
  void addTo(Channel channel);

  /** MQTT right on the socket. */
  static Wire plain() {
    return channel -> {};
  }

  /** What a listener's settings ask for: PROXY header, TLS, WebSocket; in this order. */
  static Wire of(ListenerSettings settings, @Nullable ServerTls tls, ListenerObserver observer) {
    boolean proxied = settings.proxy().proxyProtocol();
    List<Network> trusted = settings.proxy().networks();
    WebSocketSettings webSocket = settings.webSocket();
    return channel -> {
      ChannelPipeline pipeline = channel.pipeline();
      if (proxied) {
        ProxyHeader.addTo(pipeline, trusted);
      }
      if (tls != null) {
        SslHandler handler = tls.newHandler(channel.alloc());
        pipeline.addLast("tls", handler);
        pipeline.addLast("handshake", new TlsHandshake(handler, observer));
      }
      if (webSocket != null) {
        WebSocketUpgrade.addTo(pipeline, webSocket);
      }
    };
  }
}
