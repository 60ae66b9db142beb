package io.fjordmq.broker.limits;

import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The memory used by the process, as a percentage of its limits. */
final class MemoryInUse {
  /**
   * The memory pools of long-lived objects: the old generation, or the whole heap if there is no
   * old generation. After a collection, the young generation is empty or holds only objects that
   * are about to be moved.
   */
  private final List<MemoryPoolMXBean> longLived =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .filter(pool -> !pool.getName().matches(".*(Eden|Survivor|Young).*"))
          .filter(MemoryPoolMXBean::isCollectionUsageThresholdSupported)
          .toList();

  /**
   * The heap used by long-lived objects after the last collection, in percent, rounded up; 0 only
   * before the first collection.
   */
  int heapPercent() {
    long max = 0;
    for (MemoryPoolMXBean pool : longLived) {
      @Nullable MemoryUsage usage = pool.getCollectionUsage();
      if (usage != null) {
        max += usage.getMax() > 0 ? usage.getMax() : Runtime.getRuntime().maxMemory();
      }
    }
    return percent(collectedHeapBytes(), max);
  }

  /** The heap used by long-lived objects after the last collection, in bytes. */
  long collectedHeapBytes() {
    long used = 0;
    for (MemoryPoolMXBean pool : longLived) {
      @Nullable MemoryUsage usage = pool.getCollectionUsage();
      used += usage == null ? 0 : usage.getUsed();
    }
    return used;
  }

  /** The direct memory that Netty has allocated for network buffers, in percent, rounded up. */
  int directPercent() {
    return percent(PlatformDependent.usedDirectMemory(), PlatformDependent.maxDirectMemory());
  }

  private static int percent(long used, long max) {
    return used <= 0 || max <= 0 ? 0 : (int) Math.min(100, (used * 100 + max - 1) / max);
  }
}
