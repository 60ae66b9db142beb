package io.fjordmq.broker.net;

import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Chooses the sizes of the buffers that a connection reads into, as Netty's {@code
 * AdaptiveRecvByteBufAllocator} does: a buffer that was filled is followed by a much larger one,
 * and two that were at most half full by one of half the size. Unlike Netty, it needs a single
 * object per connection.
 */
final class ReadBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
  /** The size of the first buffer, which is also the smallest one. */
  static final int MIN_BYTES = 512;

  static final int MAX_BYTES = 64 << 10;

  private static final int GROWTH = 16;

  @Override
  public RecvByteBufAllocator.ExtendedHandle newHandle() {
    return new Sizes(this);
  }

  private static final class Sizes extends MaxMessageHandle {
    private int size = MIN_BYTES;
    private boolean lastWasSmall;

    private Sizes(ReadBuffers allocator) {
      allocator.super();
    }

    @Override
    public int guess() {
      return size;
    }

    @Override
    public void lastBytesRead(int bytes) {
      if (bytes == attemptedBytesRead()) {
        adapt(bytes); // grow within the read already, because more bytes are likely
      }
      super.lastBytesRead(bytes);
    }

    @Override
    public void readComplete() {
      adapt(totalBytesRead());
    }

    private void adapt(int bytes) {
      boolean small = bytes <= size / 2;
      if (bytes >= size) {
        size = Math.min(size * GROWTH, MAX_BYTES);
      } else if (small && lastWasSmall) {
        size = Math.max(size / 2, MIN_BYTES);
        small = false;
      }
      lastWasSmall = small;
    }
  }
}
