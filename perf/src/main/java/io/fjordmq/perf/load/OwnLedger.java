package io.fjordmq.perf.load;

import java.util.function.IntUnaryOperator;

/** Of a subscriber that alone answers for the publishers first, first + step, first + 2 step … */
final class OwnLedger implements Ledger {
  private final int first;
  private final int step;
  private final Stream[] streams;

  /**
   * @param publishers how many there are in all
   */
  OwnLedger(int first, int step, int publishers) {
    this.first = first;
    this.step = step;
    this.streams = new Stream[first < publishers ? (publishers - first - 1) / step + 1 : 0];
    for (int i = 0; i < streams.length; i++) {
      streams[i] = new Stream();
    }
  }

  /** Of one publisher only. */
  static OwnLedger of(int publisher) {
    return new OwnLedger(publisher, 1, publisher + 1);
  }

  @Override
  public Entry accept(int publisher, int number) {
    int distance = publisher - first;
    if (distance < 0 || distance % step != 0 || distance / step >= streams.length) {
      return Entry.MISROUTED;
    }
    return switch (streams[distance / step].accept(number)) {
      case NEW -> Entry.NEW;
      case LATE -> Entry.OUT_OF_ORDER;
      case DUPLICATE -> Entry.DUPLICATE;
    };
  }

  @Override
  public long missing(IntUnaryOperator sent) {
    long missing = 0;
    for (int i = 0; i < streams.length; i++) {
      missing += streams[i].missing(sent.applyAsInt(first + i * step));
    }
    return missing;
  }
}
