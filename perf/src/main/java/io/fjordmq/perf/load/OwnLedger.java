package io.fjordmq.perf.load;

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
  public void leave() {
    for (Stream stream : streams) {
      stream.leave();
    }
  }

  @Override
  public long comeBack(Sent sent) {
    long excused = 0;
    for (int i = 0; i < streams.length; i++) {
      excused += streams[i].comeBack(sent.count(first + i * step));
    }
    return excused;
  }

  @Override
  public Missing missing(Sent sent) {
    Missing missing = Missing.NONE;
    for (int i = 0; i < streams.length; i++) {
      int publisher = first + i * step;
      missing =
          missing.plus(
              streams[i].missing(
                  sent.count(publisher), number -> sent.isAnswered(publisher, number)));
    }
    return missing;
  }
}
