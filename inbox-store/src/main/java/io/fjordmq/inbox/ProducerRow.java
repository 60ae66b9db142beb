package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The messages of one producer that an inbox has received, so that repeated ones are stored once.
 * There is one row per inbox and producer; it moves with its inbox when a range is split, and is
 * removed with it.
 *
 * @param lowest the producer repeats no message with a lower sequence
 * @param stored received sequences ≥ lowest, at most {@link #MAX_STORED}
 * @param usedAtMillis time of the last change
 */
record ProducerRow(long lowest, NavigableSet<Long> stored, long usedAtMillis) {
  /*
   *   1  version 1
   *   v  usedAtMillis
   *   v  lowest
   *   v  number of stored sequences
   *   v  distance of each to the one before, the first to lowest
   */
  private static final int VERSION = 1;

  /**
   * The number of messages that a publisher can have in flight; beyond it, the lowest sequences are
   * assumed not to be repeated.
   */
  static final int MAX_STORED = 65_535;

  boolean has(long sequence) {
    return sequence < lowest || stored.contains(sequence);
  }

  static ProducerRow create(PublishId id, long nowMillis) {
    NavigableSet<Long> stored = new TreeSet<>();
    stored.add(id.sequence());
    return new ProducerRow(Math.min(id.lowest(), id.sequence()), stored, nowMillis);
  }

  /** Returns the row with one more sequence. */
  ProducerRow plus(PublishId id, long nowMillis) {
    long newLowest = Math.max(lowest, Math.min(id.lowest(), id.sequence()));
    NavigableSet<Long> kept = new TreeSet<>(stored.tailSet(newLowest, true));
    kept.add(id.sequence());
    while (kept.size() > MAX_STORED) {
      newLowest = kept.pollFirst() + 1;
    }
    return new ProducerRow(newLowest, kept, nowMillis);
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(16 + 2 * stored.size());
    out.writeByte(VERSION).writeVarint(usedAtMillis).writeVarint(lowest).writeVarint(stored.size());
    long before = lowest;
    for (long sequence : stored) {
      out.writeVarint(sequence - before);
      before = sequence;
    }
    return out.toByteArray();
  }

  static ProducerRow decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    NewerFormatException.require("producer row", VERSION, in.readByte());
    long usedAt = in.readVarint();
    long lowest = in.readVarint();
    NavigableSet<Long> stored = new TreeSet<>();
    long before = lowest;
    for (int remaining = in.readCount(1); remaining > 0; remaining--) {
      before += in.readVarint();
      stored.add(before);
    }
    return new ProducerRow(lowest, stored, usedAt);
  }
}
