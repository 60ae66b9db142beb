package io.fjordmq.broker.session;

import java.util.ArrayList;
import java.util.List;

/**
 * The in-flight QoS 1 and 2 messages to the client, by sequence.
 *
 * <p>The packet identifier of a sequence is {@code 1 + (sequence - 1) mod 65535}. The range from
 * the lowest unsettled sequence to the last sent sequence spans fewer than 65,535 sequences, so
 * identifiers are unique within it. Sequences of an inbox are durable, so a resumed session resends
 * messages with the same identifiers.
 *
 * <p>States are stored in a ring with one byte per sequence. The ring grows with the span, up to 64
 * KiB for a client that acknowledges tens of thousands of messages but not the oldest one.
 */
final class InflightWindow {
  /** The number of packet identifiers (MQTT 5.0 §2.2.1). */
  static final int IDENTIFIERS = 65_535;

  private static final int MIN_RING_SIZE = 16;
  private static final byte[] EMPTY_RING = {};

  /** The message has not been sent. */
  static final byte NONE = 0;

  /** A QoS 1 message has been sent and waits for a PUBACK. */
  static final byte AWAITING_PUBACK = 1;

  /** A QoS 2 message has been sent and waits for a PUBREC. */
  static final byte AWAITING_PUBREC = 2;

  /** The PUBREC has been received and is being recorded. */
  static final byte RELEASING = 3;

  /** The PUBREL has been sent and waits for a PUBCOMP. */
  static final byte AWAITING_PUBCOMP = 4;

  /** The message has been acknowledged or skipped. */
  static final byte SETTLED = 5;

  private final int limit;
  private byte[] ring = EMPTY_RING;
  // Every sequence below base is settled; base itself is unsettled unless base == end.
  private long base;
  // Sequences from here on have no state.
  private long end;
  // Sequences below this one have been sent or skipped.
  private long position;
  private int inflight;

  /**
   * @param limit the maximum number of messages in flight
   * @param first the sequence of the first message
   */
  InflightWindow(int limit, long first) {
    this.limit = Math.min(limit, IDENTIFIERS - 1);
    this.base = first;
    this.end = first;
    this.position = first;
  }

  static int packetIdentifier(long sequence) {
    return 1 + (int) ((sequence - 1) % IDENTIFIERS);
  }

  /** Whether one more message may be sent now. */
  boolean hasCapacity() {
    return inflight < limit && (inflight == 0 || end - base < IDENTIFIERS);
  }

  /** Whether the message with this sequence may be sent now. Sequences must be ascending. */
  boolean canAccept(long sequence) {
    return inflight < limit && (inflight == 0 || sequence - base < IDENTIFIERS);
  }

  /**
   * Returns the sequence after the last one that has a state. A source without durable sequences
   * assigns this sequence to its next message.
   */
  long nextSequence() {
    return end;
  }

  /** Returns the exclusive upper bound of the sequences that have been sent or skipped. */
  long sentBelow() {
    return position;
  }

  /** Returns the sequence below which every sequence is settled. */
  long base() {
    return base;
  }

  int inflight() {
    return inflight;
  }

  /**
   * Adds a message that is being sent.
   *
   * @param state the state, which names the acknowledgement that the message awaits
   */
  void open(long sequence, byte state) {
    skipTo(sequence);
    set(sequence, state);
    position = sequence + 1;
    inflight++;
  }

  /** Restores the state of a message that was sent by an earlier connection. */
  void restore(long sequence, byte state) {
    set(sequence, state);
    if (state != SETTLED) {
      inflight++;
    }
  }

  /**
   * Skips the unsent sequences below this one, whose messages expired, were dropped or are too
   * large.
   */
  void skipTo(long sequence) {
    if (inflight == 0) {
      // Nothing below is unsettled, so jump over any number of sequences instead of marking each
      // one.
      if (sequence > base) {
        for (long at = base; at < Math.min(end, sequence); at++) {
          ring[index(at)] = NONE;
        }
        base = sequence;
        end = Math.max(end, sequence);
        settleBase();
      }
      return;
    }
    for (long at = Math.max(base, position); at < sequence; at++) {
      if (state(at) == NONE) {
        set(at, SETTLED);
      }
    }
    position = Math.max(position, sequence);
    settleBase();
  }

  /** Returns the sequence for a packet identifier; -1 if no such message is in flight. */
  long sequenceOf(int packetIdentifier) {
    int distance = Math.floorMod(packetIdentifier - packetIdentifier(base), IDENTIFIERS);
    long sequence = base + distance;
    return state(sequence) == NONE || state(sequence) == SETTLED ? -1 : sequence;
  }

  byte state(long sequence) {
    return sequence < base || sequence >= end ? NONE : ring[index(sequence)];
  }

  /** Moves a QoS 2 message to its next state. */
  void advance(long sequence, byte state) {
    ring[index(sequence)] = state;
  }

  /** Settles a message that was in flight. */
  void settle(long sequence) {
    ring[index(sequence)] = SETTLED;
    inflight--;
    settleBase();
  }

  /** Returns the settled sequences above {@link #base}, at most {@code most} of them. */
  List<Long> settledBeyond(int most) {
    if (end - base == inflight) {
      return List.of();
    }
    List<Long> settled = new ArrayList<>();
    for (long at = base; at < end && settled.size() < most; at++) {
      if (ring[index(at)] == SETTLED) {
        settled.add(at);
      }
    }
    return settled;
  }

  /** Returns the lowest sequences in flight from this one on, at most {@code most} of them. */
  List<Long> inflightFrom(long sequence, int most) {
    List<Long> found = new ArrayList<>();
    for (long at = Math.max(base, sequence); at < end && found.size() < most; at++) {
      byte state = ring[index(at)];
      if (state != NONE && state != SETTLED) {
        found.add(at);
      }
    }
    return found;
  }

  private void settleBase() {
    while (base < end && ring[index(base)] == SETTLED) {
      ring[index(base)] = NONE;
      base++;
    }
  }

  private void set(long sequence, byte state) {
    ensureCapacity((int) (Math.max(end, sequence + 1) - base));
    ring[index(sequence)] = state;
    end = Math.max(end, sequence + 1);
  }

  private int index(long sequence) {
    return (int) sequence & (ring.length - 1);
  }

  private void ensureCapacity(int span) {
    if (span <= ring.length) {
      return;
    }
    int length = Math.max(MIN_RING_SIZE, Integer.highestOneBit(span - 1) << 1);
    byte[] larger = new byte[length];
    for (long at = base; at < end; at++) {
      larger[(int) at & (length - 1)] = ring[index(at)];
    }
    ring = larger;
  }
}
