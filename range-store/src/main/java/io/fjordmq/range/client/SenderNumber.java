package io.fjordmq.range.client;

import io.fjordmq.range.RangeEntry;

/** The name a range knows a client by, and the numbers of its batches. Guarded by its batcher. */
final class SenderNumber {
  private final long registerAgainAfterMillis;
  private final int enoughAnswerBytes;
  private long sender;
  private long lastBatch;
  private long usedAtMillis;

  SenderNumber(RangeClientSettings settings) {
    this.registerAgainAfterMillis = settings.registerAgainAfter().toMillis();
    this.enoughAnswerBytes = settings.enoughAnswerBytes();
  }

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

  /**
   * A batch begins. After a long pause others may have used up what the range can remember, and a
   * batch of a forgotten sender fails: so the client takes a new name first.
   */
  void use(long nowMillis) {
    if (nowMillis - usedAtMillis > registerAgainAfterMillis) {
      forgotten();
    }
  }

  /**
   * An attempt is made. The pause counts from the last one: it may still be under way when its
   * batch has been given up, and only under the same name does the range see that it is outdated.
   */
  void attempted(long nowMillis) {
    usedAtMillis = nowMillis;
  }

  /** What has to be sent for the batch now: a registration, or the batch itself. */
  byte[] entry(CommandBatch commandBatch, long epochVersion) {
    return isUnknown()
        ? RangeEntry.encodeRegister()
        : RangeEntry.encodeMutations(
            epochVersion, sender, commandBatch.number(), enoughAnswerBytes, commandBatch.bytes());
  }
}
