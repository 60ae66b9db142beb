package io.fjordmq.broker.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;

/** The broker's end of a {@link SimLink}: what a socket channel would be. */
final class SimChannel extends AbstractChannel implements DuplexChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);

  private final SimLink link;
  private final ChannelConfig config = new DefaultChannelConfig(this);
  private final ArrayDeque<byte[]> input = new ArrayDeque<>();
  private boolean wantsInput;
  private boolean open = true;
  private boolean outputShut;
  private boolean inputEnded;

  SimChannel(SimLink link, ByteBufAllocator allocator, WriteBufferWaterMark marks) {
    super(null);
    this.link = link;
    config.setAllocator(allocator);
    config.setWriteBufferWaterMark(marks);
  }

  // ---- what the link does, as tasks of the event loop

  /** Bytes arrive. */
  void onBytes(byte[] bytes) {
    input.add(bytes);
    readNow();
  }

  /** The client has closed its side; processed after the bytes sent before. */
  void onEnd() {
    inputEnded = true;
    readNow();
  }

  /** The connection is broken. */
  void onReset() {
    if (open) {
      pipeline().fireExceptionCaught(new IOException("simulated reset"));
      unsafe().close(voidPromise());
    }
  }

  /** More bytes can be written again. */
  void onWritable() {
    if (open) {
      ((SimUnsafe) unsafe()).writeMore();
    }
  }

  private void readNow() {
    if (!open || !wantsInput) {
      return;
    }
    byte[] bytes = input.poll();
    if (bytes != null) {
      wantsInput = false;
      ByteBuf buffer = config.getAllocator().buffer(bytes.length).writeBytes(bytes);
      pipeline().fireChannelRead(buffer);
      pipeline().fireChannelReadComplete(); // asks for more if that is wanted
    } else if (inputEnded) {
      unsafe().close(voidPromise());
    }
  }

  // ---- what netty does

  @Override
  protected void doBeginRead() {
    wantsInput = true;
    if (!input.isEmpty() || inputEnded) {
      eventLoop().execute(this::readNow);
    }
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer out) {
    for (Object message = out.current(); message != null; message = out.current()) {
      ByteBuf buffer = (ByteBuf) message;
      int bytes = Math.min(link.writableBytes(), buffer.readableBytes());
      if (bytes == 0 && buffer.isReadable()) {
        link.notifyWhenWritable();
        return;
      }
      byte[] part = new byte[bytes];
      buffer.getBytes(buffer.readerIndex(), part);
      link.sendFromServer(part);
      out.removeBytes(bytes);
    }
  }

  @Override
  protected void doClose() {
    open = false;
    input.clear();
    link.closeFromServer();
  }

  @Override
  protected void doShutdownOutput() {
    outputShut = true;
    link.shutDownFromServer();
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doBind(SocketAddress address) {
    throw new UnsupportedOperationException("the connection is there already");
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new SimUnsafe();
  }

  private final class SimUnsafe extends AbstractUnsafe {
    void writeMore() {
      flush0();
    }

    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      promise.setFailure(new UnsupportedOperationException("the connection is there already"));
    }
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof SimEventLoop;
  }

  @Override
  protected SocketAddress localAddress0() {
    return new LocalAddress("broker");
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return new LocalAddress(link.name());
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
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
  public boolean isInputShutdown() {
    return !open;
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShut;
  }

  @Override
  public boolean isShutdown() {
    return !open;
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
    return promise;
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return promise.setFailure(new UnsupportedOperationException("cannot half-close input"));
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    return close(promise);
  }
}
