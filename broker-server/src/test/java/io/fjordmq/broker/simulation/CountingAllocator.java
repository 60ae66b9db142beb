package io.fjordmq.broker.simulation;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * Knows how many of its buffers were not released. All are on the heap, so that what a crashed
 * broker held is garbage like the rest of it.
 */
final class CountingAllocator extends AbstractByteBufAllocator {
  private int unreleased;

  int unreleased() {
    return unreleased;
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    unreleased++;
    return new Counted(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return newHeapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }

  private final class Counted extends UnpooledHeapByteBuf {
    Counted(int initialCapacity, int maxCapacity) {
      super(CountingAllocator.this, initialCapacity, maxCapacity);
    }

    @Override
    protected void deallocate() {
      unreleased--;
      super.deallocate();
    }
  }
}
