package io.fjordmq.broker.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sits in front of the TLS handler until the handshake is complete. Input from the client waits in
 * the {@link HandshakeQueue}; in the meantime, nothing more is read from the client.
 */
final class QueuedHandshakeHandler extends ChannelInboundHandlerAdapter {
  private final HandshakeQueue queue;
  private final Consumer<ChannelHandlerContext> addTlsHandlers;
  private boolean started;
  private @Nullable Object input;

  /**
   * @param begin adds the TLS handlers behind this one; called on the first step
   */
  QueuedHandshakeHandler(HandshakeQueue queue, Consumer<ChannelHandlerContext> begin) {
    this.queue = queue;
    this.addTlsHandlers = begin;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object read) {
    if (input != null) {
      forwardInput(ctx); // a second read in the same round; forward the first one to keep the order
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

  /**
   * Suppresses the event while input waits in the queue, because nothing has been forwarded yet.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (input == null) {
      ctx.fireChannelReadComplete();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (started) {
      forwardInput(ctx); // the input may be an alert that states the reason
    }
    ctx.fireChannelInactive();
  }

  /**
   * Releases remaining input. The handler is removed when the handshake has completed, possibly
   * while a step is running.
   */
  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    ReferenceCountUtil.release(input);
    input = null;
  }
}
