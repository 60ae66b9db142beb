package io.fjordmq.broker.limits;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests a garbage collection when only an outdated heap reading keeps the node overloaded. The
 * heap reading is that of the last collection. A node that refuses new work may produce too little
 * garbage for another collection, long after the memory has become free.
 *
 * <p>Used by one thread, which waits for the collection.
 */
final class GcRequests {
  private static final Logger LOG = LoggerFactory.getLogger(GcRequests.class);

  /**
   * Pause after a collection, in multiples of its duration, so that a full heap is collected at
   * most 1/20 of the time.
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
   * @param oldAfterMillis age at which an unchanged reading is outdated
   * @param nowMillis monotonic clock
   * @param reading heap in use in bytes; practically never the same after two collections
   * @param collect requests a collection from the JVM and returns when it is done
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
   * @param high true if the last reading of the heap keeps the node overloaded
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
        "Requesting a garbage collection: the heap reading that keeps this node "
            + "overloaded is out of date ageMs={}",
        now - unchangedSinceMillis);
    collect.run();
    long done = nowMillis.getAsLong();
    pauseUntilMillis = done + Math.max(oldAfterMillis, PAUSE_FACTOR * (done - now));
    if (reading.getAsLong() == lastReading && !wasIgnored) {
      wasIgnored = true;
      LOG.warn(
          "The JVM ignored a request for garbage collection; new work is rejected until "
              + "it collects on its own; remove -XX:+DisableExplicitGC and "
              + "-XX:+ExplicitGCInvokesConcurrent from its options");
    }
  }
}
