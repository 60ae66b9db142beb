package io.fjordmq.perf.check;

import java.util.Arrays;

/**
 * The ledger of a subscriber that is the only subscriber of the publishers first, first + step,
 * first + 2 step …
 */
public final class SubscriberLedger implements Ledger {
  private final int first;
  private final int step;
  private final Mix mix;
  private final Stream[] streams;

  /** The last number of each class, by publisher; empty if there is only one class. */
  private final int[] latest;

  /**
   * @param publishers total number of publishers
   */
  public SubscriberLedger(int first, int step, int publishers, Mix mix) {
    this.mix = mix;
    this.first = first;
    this.step = step;
    this.streams = new Stream[first < publishers ? (publishers - first - 1) / step + 1 : 0];
    for (int i = 0; i < streams.length; i++) {
      streams[i] = new Stream();
    }
    this.latest = new int[mix.isMixed() ? 2 * streams.length : 0];
    Arrays.fill(latest, -1);
  }

  /** Returns a ledger for a single publisher. */
  public static SubscriberLedger of(int publisher, Mix mix) {
    return new SubscriberLedger(publisher, 1, publisher + 1, mix);
  }

  @Override
  public Entry accept(int publisher, int number) {
    int distance = publisher - first;
    if (distance < 0 || distance % step != 0 || distance / step >= streams.length) {
      return Entry.MISROUTED;
    }
    int index = distance / step;
    boolean overtaken = isOvertaken(index, number);
    return switch (streams[index].accept(number)) {
      case NEW -> Entry.NEW;
      case LATE -> overtaken ? Entry.OUT_OF_ORDER : Entry.NEW;
      case DUPLICATE -> Entry.DUPLICATE;
    };
  }

  /**
   * Returns whether a later message of the same class arrived first; not used with only one class.
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
    for (Stream stream : streams) {
      stream.onDisconnected();
    }
  }

  @Override
  public long onReconnected(SentMessages sentMessages) {
    long optional = 0;
    for (int i = 0; i < streams.length; i++) {
      optional += streams[i].onReconnected(sentMessages.count(first + i * step));
    }
    return optional;
  }

  @Override
  public Missing missing(SentMessages sentMessages) {
    Missing missing = Missing.NONE;
    for (int i = 0; i < streams.length; i++) {
      missing = missing.plus(streams[i].missing(sentMessages, first + i * step));
    }
    return missing;
  }
}
