package io.fjordmq.broker.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Everything a session writes. Small packets are collected in one pooled buffer and handed to the
 * channel together: one entry in its queue and one element of the system call instead of one per
 * packet.
 *
 * <p>Who calls may be in the midst of a message for many clients. So if there is no memory for a
 * packet nobody is told who does not own this connection: the packet and all that follow are thrown
 * away, and the connection ends as by any other error of its own, in its next turn.
 */
final class PacketWriter {
  /** A fresh buffer: enough for a few small packets, and small enough for one. */
  private static final int FIRST_BYTES = 1 << 10;

  /** From this size a batch is handed to the channel, which counts it against its high mark. */
  private static final int BATCH_BYTES = 16 << 10;

  /** Payloads from this size are handed over as they are instead of being copied. */
  private static final int LARGE_PAYLOAD_BYTES = 32 << 10;

  private final Channel channel;
  private final ChannelOutboundInvoker below;
  private final Throttle throttle;
  private final SessionObserver observer;
  private @Nullable ByteBuf batch;
  private boolean unflushed;
  private boolean failed;
  private int packets;
  private long bytes;

  PacketWriter(Channel channel, Throttle throttle, SessionObserver observer) {
    this.channel = channel;
    // What is encoded already goes in below netty's encoder.
    ChannelHandlerContext encoder = channel.pipeline().context(MqttEncoder.class);
    this.below = encoder == null ? channel : encoder;
    this.throttle = throttle;
    this.observer = observer;
  }

  /**
   * False if what was written waits for the client to read, or the client has had its rate: write
   * no more messages until it is true.
   */
  boolean isWritable() {
    return !failed && throttle.mayWrite() && channel.isWritable();
  }

  /** A place for a packet of so many bytes; the caller writes exactly these. */
  ByteBuf packet(int size) {
    packets++;
    wrote(size);
    ByteBuf open = batch;
    if (open != null && open.readableBytes() + size > BATCH_BYTES) {
      handOver();
      open = null;
    }
    return failed ? Unpooled.buffer(size) : withRoomFor(size, open);
  }

  private ByteBuf withRoomFor(int size, @Nullable ByteBuf open) {
    try {
      if (open != null) {
        return open.ensureWritable(size); // here: nothing may go wrong in the middle of a packet
      }
      ByteBuf fresh = channel.alloc().directBuffer(Math.max(size, FIRST_BYTES));
      batch = fresh;
      return fresh;
    } catch (OutOfMemoryError e) {
      fail(e, false);
      return Unpooled.buffer(size);
    }
  }

  /**
   * Nothing more is written.
   *
   * @param cut whether a packet was written in part: not even a last word can follow
   */
  private void fail(Throwable cause, boolean cut) {
    if (failed) {
      return;
    }
    failed = true;
    channel
        .eventLoop()
        .execute(
            () -> {
              channel.pipeline().fireExceptionCaught(cause);
              if (cut) {
                channel.close();
              }
            });
  }

  /** Writes a PUBLISH of two parts; the first is a template (see {@link PublishEncoder}). */
  void publish(byte[] head, int packetIdentifier, boolean dup, long expirySeconds, byte[] payload) {
    boolean large = payload.length >= LARGE_PAYLOAD_BYTES;
    ByteBuf out = packet(head.length + (large ? 0 : payload.length));
    int start = out.writerIndex();
    out.writeBytes(head);
    PublishEncoder.fillIn(out, start, packetIdentifier, dup, expirySeconds);
    if (large) {
      handOver();
      wrote(payload.length);
      if (!failed) {
        // The array is shared by all receivers and never written again; netty only reads it. It may
        // have to copy it, and if there is no memory for that a void promise does not say so.
        below.write(Unpooled.wrappedBuffer(payload)).addListener(this::payloadWritten);
      }
    } else {
      out.writeBytes(payload);
    }
  }

  private void payloadWritten(Future<? super Void> written) {
    if (!written.isSuccess() && channel.isOpen()) {
      fail(written.cause(), true);
    }
  }

  /** Writes a packet that netty encodes; small and rare, so its size is not known here. */
  void message(MqttMessage message) {
    packets++;
    handOver();
    unflushed = true;
    channel.write(message, channel.voidPromise());
  }

  private void wrote(int size) {
    bytes += size;
    throttle.wrote(size);
  }

  private void handOver() {
    ByteBuf full = batch;
    if (full != null) {
      batch = null;
      unflushed = true;
      below.write(full, channel.voidPromise());
    }
  }

  /** Sends everything written so far. */
  void flush() {
    handOver();
    if (unflushed) {
      unflushed = false;
      observer.wrote(packets, bytes);
      packets = 0;
      bytes = 0;
      below.flush();
    }
  }

  /** The connection is gone: gives back what was not sent. */
  void discard() {
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }
}
