package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.ClientConnections;
import io.fjordmq.broker.protocol.CloseReason;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts connections that the operating system could not accept because file descriptors or memory
 * ran out. Netty's own handler, which comes first in the pipeline, pauses accepting for a second.
 * There is one instance per listener, used on the acceptor's event loop.
 */
final class AcceptFailureHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(AcceptFailureHandler.class);
  private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String listener;
  private final ClientConnections clients;
  private long nextLogNanos = System.nanoTime();

  AcceptFailureHandler(String listener, ClientConnections clients) {
    this.listener = listener;
    this.clients = clients;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    clients.countRefused(CloseReason.ACCEPT_FAILED);
    long now = System.nanoTime();
    if (now - nextLogNanos >= 0) {
      nextLogNanos = now + LOG_INTERVAL_NANOS;
      LOG.warn(
          "Failed to accept a connection; retrying every second: {} listener={}",
          cause.toString(),
          listener);
    }
  }
}
