package io.fjordmq.broker.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sits in front of the TLS handler until the handshake is complete. Input from the client waits in
 * the queue, and the client is not read meanwhile.
 */
final class QueuedHandshake extends ChannelInboundHandlerAdapter {
  private final HandshakeQueue queue;
  private final Consumer<ChannelHandlerContext> begin;
  private boolean begun;
  private @Nullable Object input;

  /**
   * @param begin adds the TLS handlers behind this one; called for the first step
   */
  QueuedHandshake(HandshakeQueue queue, Consumer<ChannelHandlerContext> begin) {
    this.queue = queue;
    this.begin = begin;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object read) {
    if (input != null) {
      take(ctx); // a second read in the same round: keep the order
    }
    input = read;
    ctx.channel().config().setAutoRead(false);
    queue.of(ctx.channel().eventLoop()).add(() -> take(ctx));
  }

  private void take(ChannelHandlerContext ctx) {
    Object read = input;
    if (read != null) {
      input = null;
      ctx.channel().config().setAutoRead(true);
      if (!begun) {
        begun = true;
        begin.accept(ctx);
      }
      ctx.fireChannelRead(read);
      ctx.fireChannelReadComplete();
    }
  }

  /** While input waits in the queue, nothing was passed on that could be complete. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (input == null) {
      ctx.fireChannelReadComplete();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (begun) {
      take(ctx); // may be an alert with the reason
    }
    ctx.fireChannelInactive();
  }

  /** The handshake has completed, possibly while a step is running. */
  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    ReferenceCountUtil.release(input);
    input = null;
  }
}
