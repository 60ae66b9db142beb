package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that the client can read why. Closing a socket with unread input makes the
 * kernel reset the connection, and a reset throws away the DISCONNECT that is still on its way; so
 * our side is closed first, what the client still sends is thrown away, and the rest is closed when
 * the client has closed too or after a moment.
 */
@Sharable
final class LingeringClose extends ChannelInboundHandlerAdapter {
  /** How long a client may take to close its side. */
  private static final int LINGER_MILLIS = 1_000;

  private static final LingeringClose DRAIN = new LingeringClose();

  private LingeringClose() {}

  /** After the last word was flushed. On the event loop. */
  static void begin(Channel channel) {
    if (!(channel instanceof DuplexChannel duplex) || !channel.isActive()) {
      channel.close();
      return;
    }
    if (channel.pipeline().get(LingeringClose.class) != null) {
      return;
    }
    channel.pipeline().addFirst(DRAIN);
    duplex.shutdownOutput();
    channel.config().setAutoRead(true);
    var timeout =
        channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    channel.closeFuture().addListener(closed -> timeout.cancel(false));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object input) {
    ReferenceCountUtil.release(input);
  }
}
