package io.fjordmq.broker.net;

import io.fjordmq.broker.session.Peer;
import io.fjordmq.broker.session.Sessions;
import io.netty.channel.ChannelHandler;

/** The pipeline of a TCP listener, for tests that bring channels of their own. */
public final class PlainPipeline {
  private static final int MAX_CONNECTIONS = 10_000;

  private PlainPipeline() {}

  /** To be added to every new channel; it is replaced by the handlers of a connection. */
  public static ChannelHandler of(Sessions sessions) {
    return new MqttPipeline(
        channel -> Peer.plain("simulated", channel.remoteAddress()),
        TransportStack.plain(),
        sessions,
        MAX_CONNECTIONS);
  }
}
