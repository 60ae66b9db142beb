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
final class QueuedHandshakeHandler extends ChannelInboundHandlerAdapter {
  private final HandshakeQueue queue;
  private final Consumer<ChannelHandlerContext> addTlsHandlers;
  private boolean started;
  private @Nullable Object input;

  /**
   * @param begin adds the TLS handlers behind this one; called for the first step
   */
  QueuedHandshakeHandler(HandshakeQueue queue, Consumer<ChannelHandlerContext> begin) {
    this.queue = queue;
    this.addTlsHandlers = begin;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object read) {
    if (input != null) {
      forwardInput(ctx); // a second read in the same round: keep the order
    }
    input = read;
    ctx.channel().config().setAutoRead(false);
    queue.of(ctx.channel().eventLoop()).add(() -> forwardInput(ctx));
  }

  private void forwardInput(ChannelHandlerContext ctx) {
    Object read = input;
    if (read != null) {
      input = null;
      ctx.channel().config().setAutoRead(true);
      if (!started) {
        started = true;
        addTlsHandlers.accept(ctx);
      }
      ctx.fireChannelRead(read);
      ctx.fireChannelReadComplete();
    }
  }

  /** Suppressed while input waits in the queue, because nothing has been passed on yet. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (input == null) {
      ctx.fireChannelReadComplete();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (started) {
      forwardInput(ctx); // may be an alert with the reason
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
