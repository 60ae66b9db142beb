package io.fjordmq.broker.simulation;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * Counts its unreleased buffers. All are on the heap, so that the buffers of a crashed broker are
 * garbage-collected.
 */
final class CountingAllocator extends AbstractByteBufAllocator {
  private int unreleased;

  int unreleased() {
    return unreleased;
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    unreleased++;
    return new CountedBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return newHeapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }

  private final class CountedBuffer extends UnpooledHeapByteBuf {
    CountedBuffer(int initialCapacity, int maxCapacity) {
      super(CountingAllocator.this, initialCapacity, maxCapacity);
    }

    @Override
    protected void deallocate() {
      unreleased--;
      super.deallocate();
    }
  }
}
