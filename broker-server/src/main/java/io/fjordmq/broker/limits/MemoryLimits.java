package io.fjordmq.broker.limits;

import io.netty.util.internal.PlatformDependent;
import java.util.Optional;
import java.util.Properties;

/**
 * The memory that this process may use, in bytes, as {@code bin/memory.sh} determined it before the
 * JVM started.
 *
 * @param available the memory of the host, or the limit of the process
 * @param source where {@code available} comes from: {@code cgroup}, {@code host} or the variable
 *     {@code FJORDMQ_MEMORY}
 * @param heap the maximum heap
 * @param direct the maximum of direct memory, mostly network buffers
 * @param databases the memtables and the block cache of RocksDB
 */
public record MemoryLimits(long available, String source, long heap, long direct, long databases) {
  private static final String AVAILABLE = "fjordmq.memory";
  private static final String SOURCE = "fjordmq.memorySource";
  private static final String DATABASES = "fjordmq.databaseMemory";
  private static final long MEBIBYTE = 1L << 20;
  private static final long DEFAULT_DATABASES = 192;
  private static final long MIN_DATABASES = 24;

  /** Code, classes, threads and the C library: measured under load, see docs/CONTAINERS.md. */
  private static final long OTHER = 144 * MEBIBYTE;

  /** The limits of this process; those of a host with enough memory if no script started it. */
  public static MemoryLimits ofProcess() {
    return of(
        System.getProperties(),
        Runtime.getRuntime().maxMemory(),
        Math.max(0, PlatformDependent.maxDirectMemory()));
  }

  static MemoryLimits of(Properties properties, long heap, long direct) {
    return new MemoryLimits(
        mebibytes(properties, AVAILABLE, 0),
        properties.getProperty(SOURCE, "host"),
        heap,
        direct,
        Math.max(MIN_DATABASES * MEBIBYTE, mebibytes(properties, DATABASES, DEFAULT_DATABASES)));
  }

  private static long mebibytes(Properties properties, String name, long defaultValue) {
    String text = properties.getProperty(name, "");
    return (text.matches("[0-9]{1,9}") ? Long.parseLong(text) : defaultValue) * MEBIBYTE;
  }

  /**
   * A warning if the process may exceed its limit, so that the kernel would kill it. Options of the
   * JVM can cause that, and limits that are too small for any node.
   */
  public Optional<String> warning() {
    long needed = heap + direct + databases + OTHER;
    if (available == 0 || needed <= available) {
      return Optional.empty();
    }
    return Optional.of(
        ("The node can use up to %d MiB (%s, and about %d MiB for everything else), which exceeds"
                + " its limit of %d MiB (%s), so the kernel may kill it; raise the limit, or lower"
                + " -Xmx and -XX:MaxDirectMemorySize in FJORDMQ_JVM_OPTS")
            .formatted(needed / MEBIBYTE, parts(), OTHER / MEBIBYTE, available / MEBIBYTE, source));
  }

  private String parts() {
    return "heap=%d MiB direct=%d MiB databases=%d MiB"
        .formatted(heap / MEBIBYTE, direct / MEBIBYTE, databases / MEBIBYTE);
  }

  /** For the log: {@code available=512 MiB source=cgroup heap=…}. */
  @Override
  public String toString() {
    return (available == 0 ? "" : "available=%d MiB ".formatted(available / MEBIBYTE))
        + "source="
        + source
        + " "
        + parts();
  }
}
