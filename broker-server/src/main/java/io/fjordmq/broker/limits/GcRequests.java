package io.fjordmq.broker.limits;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for a garbage collection when only an old reading of the heap keeps the node overloaded. The
 * heap is read as its last collection left it, and a node that refuses new work may make too little
 * garbage for another one, long after what filled the heap has gone.
 *
 * <p>Used by one thread, which waits for the collection.
 */
final class GcRequests {
  private static final Logger LOG = LoggerFactory.getLogger(GcRequests.class);

  /** A heap that is truly full is not collected all the time: at most 1/20 of it. */
  private static final int REST_PER_COLLECTION = 19;

  private final long oldAfterMillis;
  private final LongSupplier nowMillis;
  private final LongSupplier reading;
  private final Runnable collect;
  private long lastReading;
  private long readSinceMillis;
  private long restUntilMillis;
  private boolean isHigh;
  private boolean inVain;

  /**
   * @param oldAfterMillis a reading is old when it has not changed for so long
   * @param nowMillis of a clock that is never set
   * @param reading in bytes: two collections never leave the same
   * @param collect asks the JVM, and returns when it has collected
   */
  GcRequests(long oldAfterMillis, LongSupplier nowMillis, LongSupplier reading, Runnable collect) {
    this.oldAfterMillis = oldAfterMillis;
    this.nowMillis = nowMillis;
    this.reading = reading;
    this.collect = collect;
    this.restUntilMillis = nowMillis.getAsLong();
  }

  /**
   * Looks whether it is time to ask.
   *
   * @param high true if the node is overloaded and its heap too full, by the last reading
   */
  void look(boolean high) {
    long now = nowMillis.getAsLong();
    long read = reading.getAsLong();
    if (!high || !isHigh || read != lastReading) {
      inVain = false;
      isHigh = high;
      lastReading = read;
      readSinceMillis = now;
    } else if (now - readSinceMillis >= oldAfterMillis && now - restUntilMillis >= 0) {
      ask(now);
    }
  }

  private void ask(long now) {
    LOG.info(
        "Requesting a garbage collection: the heap reading that keeps this node "
            + "overloaded is out of date ageMs={}",
        now - readSinceMillis);
    collect.run();
    long done = nowMillis.getAsLong();
    restUntilMillis = done + Math.max(oldAfterMillis, REST_PER_COLLECTION * (done - now));
    if (reading.getAsLong() == lastReading && !inVain) {
      inVain = true;
      LOG.warn(
          "The JVM ignored a request for garbage collection; new work is rejected until "
              + "it collects by itself; start it without -XX:+DisableExplicitGC and with "
              + "-XX:+ExplicitGCInvokesConcurrent");
    }
  }
}
