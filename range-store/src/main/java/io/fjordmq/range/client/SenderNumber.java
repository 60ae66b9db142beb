package io.fjordmq.range.client;

import io.fjordmq.range.RangeEntry;

/** The name a range knows a client by, and the numbers of its batches. Guarded by its batcher. */
final class SenderNumber {
  private long sender;
  private long lastBatch;

  /** Whether the client has to register before it can send a batch. */
  boolean isUnknown() {
    return sender == 0;
  }

  void registered(long given) {
    sender = given;
    lastBatch = 0;
  }

  void forgotten() {
    sender = 0;
  }

  long nextBatch() {
    return ++lastBatch;
  }

  /** What has to be sent for the batch now: a registration, or the batch itself. */
  byte[] entry(Batch batch, long epochVersion) {
    return isUnknown()
        ? RangeEntry.encodeRegister()
        : RangeEntry.encodeMutations(epochVersion, sender, batch.number(), batch.bytes());
  }
}
