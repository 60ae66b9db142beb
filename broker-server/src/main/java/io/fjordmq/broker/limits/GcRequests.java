package io.fjordmq.broker.limits;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests a garbage collection when only an outdated heap reading keeps the node overloaded. Heap
 * usage is measured at the end of each collection, and a node that refuses new work may produce too
 * little garbage to trigger another one long after the memory has become free.
 *
 * <p>Used by a single thread, which waits for the collection.
 */
final class GcRequests {
  private static final Logger LOG = LoggerFactory.getLogger(GcRequests.class);

  /**
   * The pause after a collection, as a multiple of its duration. It ensures that a full heap spends
   * at most 1/20 of the time in requested collections.
   */
  private static final int PAUSE_FACTOR = 19;

  private final long oldAfterMillis;
  private final LongSupplier nowMillis;
  private final LongSupplier reading;
  private final Runnable collect;
  private long lastReading;
  private long unchangedSinceMillis;
  private long pauseUntilMillis;
  private boolean wasHigh;
  private boolean wasIgnored;

  /**
   * @param oldAfterMillis the age at which an unchanged reading counts as outdated
   * @param nowMillis a monotonic clock
   * @param reading supplies the heap usage in bytes, which is practically never the same after two
   *     collections
   * @param collect requests a collection from the JVM and returns when the collection is done
   */
  GcRequests(long oldAfterMillis, LongSupplier nowMillis, LongSupplier reading, Runnable collect) {
    this.oldAfterMillis = oldAfterMillis;
    this.nowMillis = nowMillis;
    this.reading = reading;
    this.collect = collect;
    this.pauseUntilMillis = nowMillis.getAsLong();
  }

  /**
   * Requests a collection if the reading is outdated.
   *
   * @param high whether the last heap reading keeps the node overloaded
   */
  void check(boolean high) {
    long now = nowMillis.getAsLong();
    long read = reading.getAsLong();
    if (!high || !wasHigh || read != lastReading) {
      wasIgnored = false;
      wasHigh = high;
      lastReading = read;
      unchangedSinceMillis = now;
    } else if (now - unchangedSinceMillis >= oldAfterMillis && now - pauseUntilMillis >= 0) {
      requestGc(now);
    }
  }

  private void requestGc(long now) {
    LOG.info(
        "Requesting a garbage collection: only an outdated heap reading keeps this node"
            + " overloaded ageMs={}",
        now - unchangedSinceMillis);
    collect.run();
    long done = nowMillis.getAsLong();
    pauseUntilMillis = done + Math.max(oldAfterMillis, PAUSE_FACTOR * (done - now));
    if (reading.getAsLong() == lastReading && !wasIgnored) {
      wasIgnored = true;
      LOG.warn(
          "The JVM ignored a garbage collection request; new work is rejected until the next"
              + " regular collection; remove -XX:+DisableExplicitGC and"
              + " -XX:+ExplicitGCInvokesConcurrent from the JVM options");
    }
  }
}
