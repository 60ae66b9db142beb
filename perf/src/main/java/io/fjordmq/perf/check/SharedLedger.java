package io.fjordmq.perf.check;

/**
 * Of all members of a shared subscription: each message comes to one of them. Order is promised to
 * each member alone, so it is checked there.
 */
public final class SharedLedger {
  private final Mix mix;
  private final Stream[] streams;

  public SharedLedger(int publishers, Mix mix) {
    this.mix = mix;
    streams = new Stream[publishers];
    for (int i = 0; i < publishers; i++) {
      streams[i] = new Stream();
    }
  }

  /** Of one more member. Each is used by one event loop, all of them together by several. */
  public Ledger member() {
    return new Member();
  }

  private Stream.Outcome accept(int publisher, int number) {
    Stream stream = streams[publisher];
    synchronized (stream) {
      return stream.accept(number);
    }
  }

  /** What came to no member at all. Any thread. */
  public Missing missing(Sent sent) {
    Missing missing = Missing.NONE;
    for (int i = 0; i < streams.length; i++) {
      int publisher = i;
      synchronized (streams[i]) {
        missing =
            missing.plus(
                streams[i].missing(
                    sent.count(publisher), number -> sent.isAnswered(publisher, number)));
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
      return last.put(mix.key(publisher, number), number) > number ? Entry.OUT_OF_ORDER : Entry.NEW;
    }

    /** A member alone misses nothing: {@link SharedLedger#missing} counts for all. */
    @Override
    public Missing missing(Sent sent) {
      return Missing.NONE;
    }

    @Override
    public void leave() {
      throw new IllegalStateException("members of a shared subscription stay");
    }

    @Override
    public long comeBack(Sent sent) {
      throw new IllegalStateException("members of a shared subscription stay");
    }
  }
}
