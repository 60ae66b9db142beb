package io.fjordmq.perf.inprocess;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.BiConsumer;

/**
 * A channel of the broker whose client is in this process: a receiver gets the broker's output
 * immediately, and {@link #receive} passes the client's input to the broker. For the broker, it
 * behaves like a socket channel.
 */
public final class InProcessChannel extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);
  private static final SocketAddress PLACEHOLDER_ADDRESS =
      InetSocketAddress.createUnresolved("in-process", 1);

  private final ChannelConfig config = new DefaultChannelConfig(this);
  private final BiConsumer<InProcessChannel, ByteBuf> receiver;
  private boolean open = true;

  /**
   * @param receiver receives the broker's output on the channel's event loop; must not keep the
   *     buffer
   */
  public InProcessChannel(BiConsumer<InProcessChannel, ByteBuf> receiver) {
    super(null);
    this.receiver = receiver;
  }

  /** Passes input from the client to the broker. May be called on any thread. */
  public void receive(ByteBuf bytes) {
    eventLoop()
        .execute(
            () -> {
              pipeline().fireChannelRead(bytes);
              pipeline().fireChannelReadComplete();
            });
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer out) {
    for (Object message = out.current(); message != null; message = out.current()) {
      receiver.accept(this, (ByteBuf) message);
      out.remove();
    }
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new AbstractUnsafe() {
      @Override
      public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        promise.setFailure(new UnsupportedOperationException("the channel is already connected"));
      }
    };
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true;
  }

  @Override
  protected SocketAddress localAddress0() {
    return PLACEHOLDER_ADDRESS;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return PLACEHOLDER_ADDRESS;
  }

  @Override
  protected void doBind(SocketAddress local) {
    throw new UnsupportedOperationException("the channel already has an address");
  }

  @Override
  protected void doDisconnect() {
    open = false;
  }

  @Override
  protected void doClose() {
    open = false;
  }

  @Override
  protected void doBeginRead() {
    // Nothing to do: the client pushes its input.
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return open;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }
}
