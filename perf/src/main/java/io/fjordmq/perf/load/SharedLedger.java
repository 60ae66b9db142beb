package io.fjordmq.perf.load;

import java.util.function.IntUnaryOperator;

/**
 * Of all members of a shared subscription: each message comes to one of them. Order is promised to
 * each member alone, so it is checked there.
 */
final class SharedLedger {
  private final Stream[] streams;

  SharedLedger(int publishers) {
    streams = new Stream[publishers];
    for (int i = 0; i < publishers; i++) {
      streams[i] = new Stream();
    }
  }

  /** Of one more member. Each is used by one event loop, all of them together by several. */
  Ledger member() {
    return new Member();
  }

  private Stream.Outcome accept(int publisher, int number) {
    Stream stream = streams[publisher];
    synchronized (stream) {
      return stream.accept(number);
    }
  }

  /** What came to no member at all. */
  long missing(IntUnaryOperator sent) {
    long missing = 0;
    for (int publisher = 0; publisher < streams.length; publisher++) {
      synchronized (streams[publisher]) {
        missing += streams[publisher].missing(sent.applyAsInt(publisher));
      }
    }
    return missing;
  }

  private final class Member implements Ledger {
    private final LastNumbers last = new LastNumbers();

    @Override
    public Entry accept(int publisher, int number) {
      if (publisher < 0 || publisher >= streams.length) {
        return Entry.MISROUTED;
      }
      if (SharedLedger.this.accept(publisher, number) == Stream.Outcome.DUPLICATE) {
        return Entry.DUPLICATE;
      }
      return last.put(publisher, number) > number ? Entry.OUT_OF_ORDER : Entry.NEW;
    }

    /** A member alone misses nothing: {@link SharedLedger#missing} counts for all. */
    @Override
    public long missing(IntUnaryOperator sent) {
      return 0;
    }
  }
}
