package io.fjordmq.broker.limits;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reserves some of the process's file descriptors for files, other nodes and probes, so that
 * clients cannot use them up. Counting descriptors is slow, so the last count is adjusted by the
 * connections opened and closed since then.
 *
 * <p>{@link #refresh} must be called by a single thread; all other methods are thread-safe.
 */
final class FileDescriptors {
  private static final Logger LOG = LoggerFactory.getLogger(FileDescriptors.class);

  /** The interval between counts while more than half of the descriptors are free. */
  private static final long INTERVAL_MILLIS = 30_000;

  private static final long NEAR_LIMIT_INTERVAL_MILLIS = 1_000;

  /**
   * The shortage ends after this many consecutive counts that leave the reserve free. If a margin
   * were required instead, a process with a low limit might never recover.
   */
  private static final int RECOVERY_COUNTS = 3;

  private final Supplier<Count> source;
  private final int reserve;
  private final LongSupplier nowMillis;

  /** The number of connections opened minus those closed since the last count. */
  private final AtomicLong sinceCount = new AtomicLong();

  private volatile Count last;
  private volatile boolean exhausted;
  private long lastMillis;
  private int recoveryCounts;

  /**
   * A count reported by the operating system.
   *
   * @param open the number of file descriptors in use
   * @param max the limit of the process
   */
  record Count(long open, long max) {
    /** Stands for the count on systems that do not report one. */
    static final Count UNKNOWN = new Count(0, Long.MAX_VALUE);
  }

  /**
   * @param source counts descriptors; may be slow
   * @param reserve the number of descriptors that clients cannot use; with 0, no client is refused
   * @param nowMillis a monotonic clock
   */
  FileDescriptors(Supplier<Count> source, int reserve, LongSupplier nowMillis) {
    this.source = source;
    this.reserve = reserve;
    this.nowMillis = nowMillis;
    this.last = source.get();
    this.lastMillis = nowMillis.getAsLong();
  }

  /** Counts the descriptors of this process. */
  static Count ofThisProcess() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long max = system.getMaxFileDescriptorCount();
      long open = system.getOpenFileDescriptorCount();
      if (max > 0) {
        return new Count(open < 0 ? max : open, max); // no descriptor was left for counting
      }
    }
    return Count.UNKNOWN;
  }

  /**
   * Logs a warning if the limit of the process is lower than required.
   *
   * @param needed the number of descriptors that the configuration allows to be used, excluding the
   *     reserve
   */
  void warnIfFewerThan(long needed) {
    long max = last.max();
    if (max < needed + reserve) {
      LOG.warn(
          "The open-file limit is lower than the configuration needs; raise it (ulimit "
              + "-n) or lower maxConnections of the listeners limit={} needed={}",
          max,
          needed + reserve);
    }
  }

  /** Admits a new connection unless it would use a reserved descriptor. */
  boolean admit() {
    if (sinceCount.incrementAndGet() + last.open() <= allowed()) {
      return true;
    }
    sinceCount.decrementAndGet();
    onExhausted();
    return false;
  }

  /** Records that an admitted connection has closed. */
  void onConnectionClosed() {
    sinceCount.decrementAndGet();
  }

  /** Counts the descriptors again if the interval has elapsed. */
  void refresh() {
    long now = nowMillis.getAsLong();
    long pause =
        exhausted || estimate() > last.max() / 2 ? NEAR_LIMIT_INTERVAL_MILLIS : INTERVAL_MILLIS;
    if (now - lastMillis < pause) {
      return;
    }
    lastMillis = now;
    long counted = sinceCount.get();
    last = source.get();
    sinceCount.addAndGet(-counted);
    recoveryCounts = estimate() < allowed() ? recoveryCounts + 1 : 0;
    if (recoveryCounts == 0) {
      onExhausted();
    } else if (exhausted && recoveryCounts >= RECOVERY_COUNTS) {
      exhausted = false;
      LOG.info("File descriptors are available again open={} limit={}", estimate(), last.max());
    }
  }

  /**
   * The reasons why load balancers should not send clients to this node; empty if there are none.
   */
  List<String> reasons() {
    return exhausted
        ? List.of(
            "file descriptors: %d of %d in use, %d reserved; raise the limit (ulimit -n)"
                .formatted(estimate(), last.max(), reserve))
        : List.of();
  }

  /** The descriptors in use and their limit. */
  DescriptorUsage use() {
    return new DescriptorUsage(estimate(), last.max());
  }

  private long estimate() {
    return last.open() + sinceCount.get();
  }

  private long allowed() {
    return reserve == 0 ? Long.MAX_VALUE : last.max() - reserve;
  }

  private synchronized void onExhausted() {
    if (!exhausted) {
      exhausted = true;
      LOG.warn(
          "Out of file descriptors; closing new MQTT connections; raise the limit (ulimit -n)"
              + " open={} limit={} reserved={}",
          estimate(),
          last.max(),
          reserve);
    }
  }
}
