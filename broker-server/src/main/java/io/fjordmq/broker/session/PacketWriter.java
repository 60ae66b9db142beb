package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.PacketSink;
import io.fjordmq.broker.protocol.PublishEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Writes a session's packets. Small packets are collected in one pooled buffer and passed to the
 * channel together, so that they need only one entry in the outbound buffer and one element of the
 * write system call instead of one per packet.
 *
 * <p>The caller may be delivering one message to many clients. For this reason, it gets no
 * exception if memory for a packet cannot be allocated. Instead, that packet and all later ones are
 * discarded, and a later task on the event loop closes the connection with an error.
 */
final class PacketWriter implements PacketSink {
  /**
   * The initial size of a buffer: enough for a few small packets without wasting much on a single
   * one.
   */
  private static final int INITIAL_BUFFER_BYTES = 1 << 10;

  /**
   * The size at which a batch is passed to the channel, where it counts toward the high-water mark.
   */
  private static final int BATCH_BYTES = 16 << 10;

  /** The size from which payloads are passed to the channel without copying them. */
  private static final int LARGE_PAYLOAD_BYTES = 32 << 10;

  private final Channel channel;
  private final Throttle throttle;
  private final SessionObserver observer;
  private @Nullable ByteBuf batch;
  private boolean unflushed;
  private boolean failed;
  private int packets;
  private long bytes;

  PacketWriter(Channel channel, Throttle throttle, SessionObserver observer) {
    this.channel = channel;
    this.throttle = throttle;
    this.observer = observer;
  }

  /**
   * Whether messages may be written; false while the channel's buffer is full or the client's write
   * rate is used up.
   */
  boolean isWritable() {
    return !failed && throttle.mayWrite() && channel.isWritable();
  }

  @Override
  public ByteBuf beginPacket(int size) {
    packets++;
    countWritten(size);
    ByteBuf open = batch;
    if (open != null && open.readableBytes() + size > BATCH_BYTES) {
      writeBatch();
      open = null;
    }
    return failed ? Unpooled.buffer(size) : ensureWritable(size, open);
  }

  private ByteBuf ensureWritable(int size, @Nullable ByteBuf open) {
    try {
      if (open != null) {
        return open.ensureWritable(size); // fails here rather than in the middle of a packet
      }
      ByteBuf fresh = channel.alloc().directBuffer(Math.max(size, INITIAL_BUFFER_BYTES));
      batch = fresh;
      return fresh;
    } catch (OutOfMemoryError e) {
      fail(e, false);
      return Unpooled.buffer(size);
    }
  }

  /**
   * Stops writing and reports the error to the pipeline.
   *
   * @param partial whether a packet was only partly written, so that not even a DISCONNECT can
   *     follow
   */
  private void fail(Throwable cause, boolean partial) {
    if (failed) {
      return;
    }
    failed = true;
    channel
        .eventLoop()
        .execute(
            () -> {
              channel.pipeline().fireExceptionCaught(cause);
              if (partial) {
                channel.close();
              }
            });
  }

  /** Writes a PUBLISH from a template (see {@link PublishEncoder}) and a payload. */
  void writePublish(
      byte[] head, int packetIdentifier, boolean dup, long expirySeconds, byte[] payload) {
    boolean large = payload.length >= LARGE_PAYLOAD_BYTES;
    ByteBuf out = beginPacket(head.length + (large ? 0 : payload.length));
    int start = out.writerIndex();
    out.writeBytes(head);
    PublishEncoder.fillIn(out, start, packetIdentifier, dup, expirySeconds);
    if (large) {
      writeBatch();
      countWritten(payload.length);
      if (!failed) {
        // All receivers share the array, and nobody modifies it. Netty may have to copy it, and a
        // void promise would not report that memory for the copy could not be allocated.
        channel.write(Unpooled.wrappedBuffer(payload)).addListener(this::onPayloadWritten);
      }
    } else {
      out.writeBytes(payload);
    }
  }

  private void onPayloadWritten(Future<? super Void> written) {
    if (!written.isSuccess() && channel.isOpen()) {
      fail(written.cause(), true);
    }
  }

  /**
   * Writes a packet that Netty encodes. Such packets are small and rare, so their size is not
   * counted.
   */
  void write(MqttMessage message) {
    packets++;
    writeBatch();
    unflushed = true;
    channel.write(message, channel.voidPromise());
  }

  private void countWritten(int size) {
    bytes += size;
    throttle.chargeWrite(size);
  }

  private void writeBatch() {
    ByteBuf full = batch;
    if (full != null) {
      batch = null;
      unflushed = true;
      channel.write(full, channel.voidPromise());
    }
  }

  /** Sends everything written so far. */
  void flush() {
    writeBatch();
    if (unflushed) {
      unflushed = false;
      observer.onWritten(packets, bytes);
      packets = 0;
      bytes = 0;
      channel.flush();
    }
  }

  /** Releases unsent data after the connection has ended. */
  void discard() {
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }
}
