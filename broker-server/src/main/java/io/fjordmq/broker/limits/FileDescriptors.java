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
 * Keeps some of the process's file descriptors in reserve for files, other nodes and probes:
 * clients get none of those. Counting them is slow if there are many, so the last count is carried
 * forward with the connections that came and went since.
 *
 * <p>{@link #look} is called by one thread; everything else by any.
 */
final class FileDescriptors {
  private static final Logger LOG = LoggerFactory.getLogger(FileDescriptors.class);

  /** Between two counts while more than half are free. */
  private static final long RARELY_MILLIS = 30_000;

  private static final long OFTEN_MILLIS = 1_000;

  /** Counts in a row below the reserve that end it. A margin might never be met by a low limit. */
  private static final int CALM_COUNTS = 3;

  private final Supplier<Count> source;
  private final int reserve;
  private final LongSupplier nowMillis;

  /** Connections that came less those that went since the last count. */
  private final AtomicLong sinceCount = new AtomicLong();

  private volatile Count last;
  private volatile boolean exhausted;
  private long lastMillis;
  private int calmCounts;

  /**
   * What the operating system says.
   *
   * @param open file descriptors in use
   * @param max the limit of the process
   */
  record Count(long open, long max) {
    /** Where the system does not tell. */
    static final Count UNKNOWN = new Count(0, Long.MAX_VALUE);
  }

  /**
   * @param source may be slow
   * @param reserve descriptors that clients do not get; 0 refuses nobody
   * @param nowMillis of a clock that is never set
   */
  FileDescriptors(Supplier<Count> source, int reserve, LongSupplier nowMillis) {
    this.source = source;
    this.reserve = reserve;
    this.nowMillis = nowMillis;
    this.last = source.get();
    this.lastMillis = nowMillis.getAsLong();
  }

  /** Those of this process. */
  static Count ofThisProcess() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long max = system.getMaxFileDescriptorCount();
      long open = system.getOpenFileDescriptorCount();
      if (max > 0) {
        return new Count(open < 0 ? max : open, max); // none is left to count them with
      }
    }
    return Count.UNKNOWN;
  }

  /**
   * Logs a warning if the limit of the process is lower.
   *
   * @param needed what the configuration allows, without the reserve
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

  /** Counts a new connection in, unless it would take from the reserve. */
  boolean admit() {
    if (sinceCount.incrementAndGet() + last.open() <= allowed()) {
      return true;
    }
    sinceCount.decrementAndGet();
    begin();
    return false;
  }

  /** A connection that was admitted has ended. */
  void ended() {
    sinceCount.decrementAndGet();
  }

  /** Counts anew if it is time. */
  void look() {
    long now = nowMillis.getAsLong();
    long pause = exhausted || estimate() > last.max() / 2 ? OFTEN_MILLIS : RARELY_MILLIS;
    if (now - lastMillis < pause) {
      return;
    }
    lastMillis = now;
    long counted = sinceCount.get();
    last = source.get();
    sinceCount.addAndGet(-counted);
    calmCounts = estimate() < allowed() ? calmCounts + 1 : 0;
    if (calmCounts == 0) {
      begin();
    } else if (exhausted && calmCounts >= CALM_COUNTS) {
      exhausted = false;
      LOG.info("File descriptors are available again open={} limit={}", estimate(), last.max());
    }
  }

  /** Why clients should not be sent here; empty if they should. */
  List<String> reasons() {
    return exhausted
        ? List.of(
            "file descriptors: %d of %d in use, %d are reserved; raise the limit (ulimit -n)"
                .formatted(estimate(), last.max(), reserve))
        : List.of();
  }

  private long estimate() {
    return last.open() + sinceCount.get();
  }

  private long allowed() {
    return reserve == 0 ? Long.MAX_VALUE : last.max() - reserve;
  }

  private synchronized void begin() {
    if (!exhausted) {
      exhausted = true;
      LOG.warn(
          "Out of file descriptors: new MQTT connections are closed; raise the limit (ulimit -n)"
              + " open={} limit={} reserved={}",
          estimate(),
          last.max(),
          reserve);
    }
  }
}
