package io.fjordmq.perf.check;

/**
 * The ledger of all members of a shared subscription, where each message goes to one member. Order
 * is guaranteed per member and checked there.
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

  /** Adds a member. Each member is used by one event loop, all of them by several. */
  public Ledger member() {
    return new Member();
  }

  private Stream.Outcome accept(int publisher, int number) {
    Stream stream = streams[publisher];
    synchronized (stream) {
      return stream.accept(number);
    }
  }

  /** Messages that no member received. Any thread. */
  public Missing missing(SentMessages sentMessages) {
    Missing missing = Missing.NONE;
    for (int i = 0; i < streams.length; i++) {
      synchronized (streams[i]) {
        missing = missing.plus(streams[i].missing(sentMessages, i));
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

    /** A single member misses nothing: {@link SharedLedger#missing} checks all of them. */
    @Override
    public Missing missing(SentMessages sentMessages) {
      return Missing.NONE;
    }

    @Override
    public void onDisconnected() {
      throw new IllegalStateException("members of a shared subscription must not leave");
    }

    @Override
    public long onReconnected(SentMessages sentMessages) {
      throw new IllegalStateException("members of a shared subscription must not leave");
    }
  }
}
