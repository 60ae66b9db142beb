package io.fjordmq.broker.session;

import java.util.ArrayList;
import java.util.List;

/**
 * The in-flight QoS 1 and 2 messages to the client, by sequence.
 *
 * <p>A packet identifier is {@code 1 + (sequence - 1) mod 65535}. The sequences from the lowest
 * unsettled one to the last sent one span less than 65,535, so an identifier is unique among them.
 * Sequences of an inbox are durable, so a resumed session resends under the same identifiers.
 *
 * <p>States are stored in a ring of one byte per sequence. It grows with the span, up to 64 KiB for
 * a client that does not acknowledge its oldest message but tens of thousands of later ones.
 */
final class InflightWindow {
  /** Number of packet identifiers (MQTT 5.0 §2.2.1). */
  static final int IDENTIFIERS = 65_535;

  private static final int MIN_RING_SIZE = 16;

  /** Not sent (yet). */
  static final byte NONE = 0;

  /** QoS 1, sent. */
  static final byte AWAITING_PUBACK = 1;

  /** QoS 2, sent. */
  static final byte AWAITING_PUBREC = 2;

  /** The PUBREC was received and is being recorded. */
  static final byte RELEASING = 3;

  /** The PUBREL was sent. */
  static final byte AWAITING_PUBCOMP = 4;

  /** Acknowledged, or skipped. */
  static final byte SETTLED = 5;

  private final int limit;
  private byte[] ring = {};
  // Every sequence below base is settled; base itself is not, unless base == end.
  private long base;
  // No sequence from here on has a state.
  private long end;
  // Sequences below this were sent or skipped.
  private long position;
  private int inflight;

  /**
   * @param limit maximum number of messages in flight
   * @param first sequence of the first message
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

  /** True if one more message may be sent now. */
  boolean hasCapacity() {
    return inflight < limit && (inflight == 0 || end - base < IDENTIFIERS);
  }

  /** True if the message of this sequence may be sent now; ascending sequences only. */
  boolean canAccept(long sequence) {
    return inflight < limit && (inflight == 0 || sequence - base < IDENTIFIERS);
  }

  /**
   * The sequence after the last one with a state. A source without durable sequences assigns it
   * next.
   */
  long nextSequence() {
    return end;
  }

  /** No message from this sequence on was sent. */
  long sentBelow() {
    return position;
  }

  /** Every sequence below is settled. */
  long base() {
    return base;
  }

  int inflight() {
    return inflight;
  }

  /**
   * Adds a message that is being sent.
   *
   * @param state the acknowledgement it awaits
   */
  void open(long sequence, byte state) {
    skipTo(sequence);
    set(sequence, state);
    position = sequence + 1;
    inflight++;
  }

  /** Restores the state of a message that an earlier connection sent. */
  void restore(long sequence, byte state) {
    set(sequence, state);
    if (state != SETTLED) {
      inflight++;
    }
  }

  /** Skips the unsent sequences below this one: expired, dropped or too large. */
  void skipTo(long sequence) {
    if (inflight == 0) {
      // Nothing unsettled below: jump, however far, instead of marking each.
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

  /** The sequence of a packet identifier; -1 if no such message is in flight. */
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

  /** Settled sequences above {@link #base}, at most {@code most}. */
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
