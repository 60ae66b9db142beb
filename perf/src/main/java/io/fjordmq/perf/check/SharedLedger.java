package io.fjordmq.perf.check;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;

/**
 * The ledger of a shared subscription, where each message goes to one member. Order is guaranteed,
 * and checked, separately for each member.
 */
public final class SharedLedger {
  private final QosMix mix;
  private final SequenceTracker[] sequences;

  public SharedLedger(int publishers, QosMix mix) {
    this.mix = mix;
    sequences = new SequenceTracker[publishers];
    for (int i = 0; i < publishers; i++) {
      sequences[i] = new SequenceTracker();
    }
  }

  /**
   * Adds a member. Each member must be used on a single event loop; different members may use
   * different event loops.
   */
  public Ledger member() {
    return new Member();
  }

  private SequenceTracker.Outcome accept(int publisher, int number) {
    SequenceTracker sequence = sequences[publisher];
    synchronized (sequence) {
      return sequence.accept(number);
    }
  }

  /** Returns the messages that no member received. May be called on any thread. */
  public Missing missing(SentMessages sentMessages) {
    Missing missing = Missing.NONE;
    for (int i = 0; i < sequences.length; i++) {
      synchronized (sequences[i]) {
        missing = missing.plus(sequences[i].missing(sentMessages, i));
      }
    }
    return missing;
  }

  private final class Member implements Ledger {
    /** The last number from each publisher and QoS class. */
    private final IntObjectMap<Integer> last = new IntObjectHashMap<>();

    @Override
    public Entry accept(int publisher, int number) {
      if (publisher < 0 || publisher >= sequences.length) {
        return Entry.MISROUTED;
      }
      if (SharedLedger.this.accept(publisher, number) == SequenceTracker.Outcome.DUPLICATE) {
        return Entry.DUPLICATE;
      }
      Integer previous = last.put(mix.key(publisher, number), Integer.valueOf(number));
      return previous != null && previous > number ? Entry.OUT_OF_ORDER : Entry.NEW;
    }

    /** Returns nothing, because {@link SharedLedger#missing} checks all members together. */
    @Override
    public Missing missing(SentMessages sentMessages) {
      return Missing.NONE;
    }
  }
}
