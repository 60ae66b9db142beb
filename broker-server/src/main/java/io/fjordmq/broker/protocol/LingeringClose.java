package io.fjordmq.broker.protocol;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that the client can still read the reason. If a socket is closed with
 * unread input, the kernel resets the connection, and the reset discards a DISCONNECT that is still
 * in flight. To avoid this, only the output is shut down at first and further input is discarded;
 * the socket is closed once the client has closed its side, or after {@link #LINGER_MILLIS}.
 *
 * <p>The handler sits at the socket end of the pipeline, so TLS and WebSocket send their own close
 * messages as the close passes through them.
 */
public final class LingeringClose extends ChannelDuplexHandler {
  /** The time that a client may take to close its side. */
  private static final int LINGER_MILLIS = 1_000;

  private boolean outputShutDown;

  private LingeringClose() {}

  /**
   * Starts closing the connection. Called on the event loop after the last packet has been flushed.
   */
  public static void begin(Channel channel) {
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
    if (!outputShutDown) {
      outputShutDown = true;
      ((DuplexChannel) ctx.channel()).shutdownOutput();
    }
    ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
  }
}
