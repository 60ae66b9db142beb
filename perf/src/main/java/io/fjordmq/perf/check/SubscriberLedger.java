package io.fjordmq.perf.check;

import java.util.Arrays;

/**
 * The ledger of a subscriber that receives all messages of the publishers first, first + step,
 * first + 2 step …
 */
public final class SubscriberLedger implements Ledger {
  private final int first;
  private final int step;
  private final QosMix mix;
  private final SequenceTracker[] sequences;

  /** The highest number received from each publisher and QoS class; empty if there is one class. */
  private final int[] latest;

  /**
   * @param publishers total number of publishers
   */
  public SubscriberLedger(int first, int step, int publishers, QosMix mix) {
    this.mix = mix;
    this.first = first;
    this.step = step;
    this.sequences =
        new SequenceTracker[first < publishers ? (publishers - first - 1) / step + 1 : 0];
    for (int i = 0; i < sequences.length; i++) {
      sequences[i] = new SequenceTracker();
    }
    this.latest = new int[mix.isMixed() ? 2 * sequences.length : 0];
    Arrays.fill(latest, -1);
  }

  /** Returns a ledger for a single publisher. */
  public static SubscriberLedger of(int publisher, QosMix mix) {
    return new SubscriberLedger(publisher, 1, publisher + 1, mix);
  }

  @Override
  public Entry accept(int publisher, int number) {
    int distance = publisher - first;
    if (distance < 0 || distance % step != 0 || distance / step >= sequences.length) {
      return Entry.MISROUTED;
    }
    int index = distance / step;
    boolean overtaken = isOvertaken(index, number);
    return switch (sequences[index].accept(number)) {
      case NEW -> Entry.NEW;
      case LATE -> overtaken ? Entry.OUT_OF_ORDER : Entry.NEW;
      case DUPLICATE -> Entry.DUPLICATE;
    };
  }

  /**
   * Returns whether a later message of the same QoS class has already arrived. Always true if there
   * is only one class, because a late message then belongs to the same class as those that overtook
   * it.
   */
  private boolean isOvertaken(int index, int number) {
    if (latest.length == 0) {
      return true;
    }
    int key = mix.key(index, number);
    if (number > latest[key]) {
      latest[key] = number;
      return false;
    }
    return true;
  }

  @Override
  public void onDisconnected() {
    for (SequenceTracker sequence : sequences) {
      sequence.onDisconnected();
    }
  }

  @Override
  public long onReconnected(SentMessages sentMessages) {
    long optional = 0;
    for (int i = 0; i < sequences.length; i++) {
      optional += sequences[i].onReconnected(sentMessages.count(first + i * step));
    }
    return optional;
  }

  @Override
  public Missing missing(SentMessages sentMessages) {
    Missing missing = Missing.NONE;
    for (int i = 0; i < sequences.length; i++) {
      missing = missing.plus(sequences[i].missing(sentMessages, first + i * step));
    }
    return missing;
  }
}
