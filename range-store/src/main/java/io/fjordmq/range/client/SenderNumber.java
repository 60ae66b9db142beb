package io.fjordmq.range.client;

import io.fjordmq.range.RangeEntry;

/**
 * The number that identifies this client to a range, and the numbers of its batches. Guarded by its
 * batcher.
 */
final class SenderNumber {
  private final long reregisterAfterMillis;
  private final int maxBatchResponseBytes;
  private long sender;
  private long lastBatch;
  private long lastAttemptMillis;

  SenderNumber(RangeClientSettings settings) {
    this.reregisterAfterMillis = settings.reregisterAfter().toMillis();
    this.maxBatchResponseBytes = settings.maxBatchResponseBytes();
  }

  /** Returns whether the client has to register before it can send a batch. */
  boolean isUnknown() {
    return sender == 0;
  }

  void assign(long assigned) {
    sender = assigned;
    lastBatch = 0;
  }

  void forget() {
    sender = 0;
  }

  long nextBatch() {
    return ++lastBatch;
  }

  /**
   * Must be called before a batch. After a long pause the range may have evicted this sender, whose
   * batches would then fail, so the client registers again first.
   */
  void forgetIfIdle(long nowMillis) {
    if (nowMillis - lastAttemptMillis > reregisterAfterMillis) {
      forget();
    }
  }

  /**
   * Records an attempt. Idle time is measured from the last attempt, because an attempt can arrive
   * after the client has abandoned its batch, and the range recognizes it as outdated only while
   * the client keeps its sender number.
   */
  void recordAttempt(long nowMillis) {
    lastAttemptMillis = nowMillis;
  }

  /** Returns the entry to send for the batch now: a registration, or the batch itself. */
  byte[] entry(CommandBatch batch, long epochVersion) {
    if (isUnknown()) {
      return RangeEntry.encodeRegister();
    }
    byte[] entry =
        RangeEntry.encodeMutations(
            epochVersion, sender, batch.number(), maxBatchResponseBytes, batch.bytes());
    if (batch.isDeferrable()) {
      RangeEntry.markDeferrable(entry);
    }
    return entry;
  }
}
