package io.fjordmq.cluster.consensus.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Outbound frames of one channel. Any thread may offer frames; the channel's event loop writes
 * them. All queued frames share one flush; delayable ones wait up to a tick for others to join.
 */
final class FrameQueue {
  private final Channel channel;
  private final long tickNanos;
  private final long maxBytes;
  private final Queue<ByteBuf> frames = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final AtomicBoolean ticking = new AtomicBoolean();
  private volatile boolean closed;

  FrameQueue(Channel channel, Duration tick, long maxBytes) {
    this.channel = channel;
    this.tickNanos = tick.toNanos();
    this.maxBytes = maxBytes;
  }

  /**
   * Queues the frame and takes ownership of it.
   *
   * @return false if it was dropped because the queue is full or the channel is closed
   */
  boolean offer(ByteBuf frame, boolean delayable) {
    int size = frame.readableBytes();
    if (bytes.addAndGet(size) > maxBytes || closed) {
      bytes.addAndGet(-size);
      frame.release();
      return false;
    }
    frames.add(frame);
    try {
      schedule(delayable && tickNanos > 0);
      return true;
    } catch (RejectedExecutionException stopping) {
      close();
      return false;
    }
  }

  private void schedule(boolean delayable) {
    if (delayable) {
      if (ticking.compareAndSet(false, true)) {
        channel.eventLoop().schedule(this::tick, tickNanos, TimeUnit.NANOSECONDS);
      }
    } else if (draining.compareAndSet(false, true)) {
      channel.eventLoop().execute(this::drain);
    }
  }

  private void tick() {
    ticking.set(false);
    drain();
  }

  /** Writes frames until the channel is no longer writable. Runs on the channel's event loop. */
  void drain() {
    draining.set(false);
    if (closed) {
      clear();
      return;
    }
    boolean wrote = false;
    while (channel.isWritable()) {
      ByteBuf frame = frames.poll();
      if (frame == null) {
        break;
      }
      bytes.addAndGet(-frame.readableBytes());
      channel.write(frame, channel.voidPromise());
      wrote = true;
    }
    if (wrote) {
      channel.flush();
    }
  }

  /** Drops all queued frames. Must be called once the channel is closed. */
  void close() {
    closed = true;
    clear();
  }

  private void clear() {
    for (ByteBuf frame = frames.poll(); frame != null; frame = frames.poll()) {
      frame.release();
    }
  }
}
