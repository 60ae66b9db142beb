package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that the client can read why. Closing a socket with unread input makes the
 * kernel reset the connection, and a reset throws away the DISCONNECT that is still on its way; so
 * our side is closed first, what the client still sends is thrown away, and the rest is closed when
 * the client has closed too or after a moment.
 *
 * <p>Stands next to the socket: what is above it (TLS, WebSocket) says goodbye in its own way while
 * the close passes through.
 */
final class LingeringClose extends ChannelDuplexHandler {
  /** How long a client may take to close its side. */
  private static final int LINGER_MILLIS = 1_000;

  private boolean ours;

  private LingeringClose() {}

  /** After the last word was flushed. On the event loop. */
  static void begin(Channel channel) {
    if (!(channel instanceof DuplexChannel) || !channel.isActive()) {
      channel.close();
      return;
    }
    if (channel.pipeline().get(LingeringClose.class) == null) {
      channel.pipeline().addFirst(new LingeringClose());
      channel.close();
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    ctx.channel().config().setAutoRead(true);
    var timeout = ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    ctx.channel().closeFuture().addListener(closed -> timeout.cancel(false));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object input) {
    ReferenceCountUtil.release(input);
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (!ours) {
      ours = true;
      ((DuplexChannel) ctx.channel()).shutdownOutput();
    }
    ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
  }
}
