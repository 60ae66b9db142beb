package io.fjordmq.broker.net;

import io.fjordmq.broker.protocol.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;

/**
 * A connection whose bytes another server of this node carries, such as the HTTP server. For
 * sessions it behaves like a socket: it becomes unwritable while the client does not read, and
 * nothing is read from the client while reading is paused.
 */
public final class TunnelChannel extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);
  private static final int MAX_BUFFERS = 64;
  private static final long MAX_BYTES = 64 << 10;

  /** The server that carries the bytes. Can be called on any thread; does not block. */
  public interface Carrier {
    /** Asks for bytes, which must be passed to {@link #receive} once. */
    void demand();

    /**
     * Sends bytes to the client. At most one call is in progress.
     *
     * @param sent must be called on any thread once the bytes have been sent
     */
    void send(ByteBuffer bytes, Runnable sent);

    /** Closes the connection to the client. */
    void close();
  }

  private final ChannelConfig config = new DefaultChannelConfig(this);
  private final Peer peer;
  private final Carrier carrier;

  // Used only on the event loop, except that any thread may read it.
  private volatile boolean open = true;
  private boolean demanded;
  private boolean sending;

  /**
   * @param peer the client
   */
  public TunnelChannel(Peer peer, Carrier carrier) {
    super(null);
    this.peer = peer;
    this.carrier = carrier;
  }

  Peer peer() {
    return peer;
  }

  /**
   * Passes bytes from the client. Can be called on any thread, after the channel is registered.
   *
   * @param bytes not used after the call
   */
  public void receive(ByteBuffer bytes) {
    ByteBuf copy = alloc().buffer(bytes.remaining()).writeBytes(bytes);
    if (!execute(() -> read(copy))) {
      copy.release();
    }
  }

  private void read(ByteBuf bytes) {
    demanded = false;
    if (!open) {
      bytes.release();
      carrier.demand(); // the client's confirmation of the close follows
      return;
    }
    pipeline().fireChannelRead(bytes);
    pipeline().fireChannelReadComplete();
  }

  /** The client has closed the connection. Can be called on any thread, after registration. */
  public void onClosed() {
    execute(() -> unsafe().close(voidPromise()));
  }

  /** Runs a task on the event loop; false if the event loops have already stopped. */
  private boolean execute(Runnable task) {
    try {
      eventLoop().execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  protected void doBeginRead() {
    if (!demanded) {
      demanded = true;
      carrier.demand();
    }
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer out) {
    if (sending) {
      return; // continues in onSent
    }
    ByteBuffer bytes = copy(out);
    int size = bytes.remaining();
    if (size == 0) {
      out.removeBytes(0); // only empty buffers, whose promises must be completed
      return;
    }
    sending = true;
    carrier.send(bytes, () -> execute(() -> onSent(size)));
  }

  /** Copies what can be sent at once. It stays in the buffer, and so counts, until it is sent. */
  private static ByteBuffer copy(ChannelOutboundBuffer out) {
    ByteBuffer[] buffers = out.nioBuffers(MAX_BUFFERS, MAX_BYTES);
    int count = out.nioBufferCount();
    ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(out.nioBufferSize()));
    for (int i = 0; i < count; i++) {
      bytes.put(buffers[i].duplicate());
    }
    return bytes.flip();
  }

  private void onSent(int size) {
    sending = false;
    ChannelOutboundBuffer out = unsafe().outboundBuffer();
    if (out != null) { // otherwise the channel has been closed
      out.removeBytes(size);
      ((TunnelUnsafe) unsafe()).continueFlush();
    }
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new TunnelUnsafe();
  }

  private final class TunnelUnsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      promise.setFailure(new UnsupportedOperationException("the channel is already connected"));
    }

    private void continueFlush() {
      flush0();
    }
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true;
  }

  @Override
  protected SocketAddress localAddress0() {
    return peer.remote(); // the address of the node is not known here, and nothing uses it
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return peer.remote();
  }

  @Override
  protected void doBind(SocketAddress local) {
    throw new UnsupportedOperationException("the channel already has an address");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    if (open) {
      open = false;
      carrier.close();
      if (!demanded) {
        carrier.demand(); // the client's confirmation of the close
      }
    }
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
