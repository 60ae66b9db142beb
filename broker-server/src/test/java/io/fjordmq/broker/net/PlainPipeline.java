package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.session.Sessions;
import io.netty.channel.ChannelHandler;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The pipeline of a TCP listener, for tests that create their own channels. */
public final class PlainPipeline {
  private static final int MAX_CONNECTIONS = 10_000;

  private PlainPipeline() {}

  /** Returns a handler for every new channel; it replaces itself with those of a connection. */
  public static ChannelHandler of(String listener, Sessions sessions) {
    return of(listener, () -> null, sessions);
  }

  /** The same, for clients with TLS certificates; the supplier returns null for one without. */
  public static ChannelHandler of(
      String listener, Supplier<@Nullable X509Certificate> certificate, Sessions sessions) {
    return new MqttPipeline(
        channel -> Peer.plain(listener, channel.remoteAddress()).withTls(certificate.get(), null),
        TransportStack.plain(),
        sessions,
        MAX_CONNECTIONS);
  }
}
