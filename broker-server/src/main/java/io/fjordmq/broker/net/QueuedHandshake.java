package io.fjordmq.broker.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands before the TLS handler until the handshake is over: what the client says waits for its
 * turn, and the client is not read meanwhile.
 */
final class QueuedHandshake extends ChannelInboundHandlerAdapter {
  private final HandshakeQueue turns;
  private final Consumer<ChannelHandlerContext> begin;
  private boolean begun;
  private @Nullable Object input;

  /**
   * @param begin puts the TLS handlers behind this one; called at the first turn
   */
  QueuedHandshake(HandshakeQueue turns, Consumer<ChannelHandlerContext> begin) {
    this.turns = turns;
    this.begin = begin;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object read) {
    if (input != null) {
      take(ctx); // a second read of the same round: they stay in order
    }
    input = read;
    ctx.channel().config().setAutoRead(false);
    turns.of(ctx.channel().eventLoop()).add(() -> take(ctx));
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

  /** Nothing was passed on, so nothing is complete. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (input == null) {
      ctx.fireChannelReadComplete();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (begun) {
      take(ctx); // perhaps an alert that says why
    }
    ctx.fireChannelInactive();
  }

  /** The handshake is over, which can happen while a step is being taken. */
  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    ReferenceCountUtil.release(input);
    input = null;
  }
}
