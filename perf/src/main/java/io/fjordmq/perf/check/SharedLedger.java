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

  /**
   * Adds a member. Each member is used by a single event loop, but different members by different
   * ones.
   */
  public Ledger member() {
    return new Member();
  }

  private Stream.Outcome accept(int publisher, int number) {
    Stream stream = streams[publisher];
    synchronized (stream) {
      return stream.accept(number);
    }
  }

  /** Returns the messages that no member received. May be called on any thread. */
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

    /** Returns nothing, because {@link SharedLedger#missing} checks all members together. */
    @Override
    public Missing missing(SentMessages sentMessages) {
      return Missing.NONE;
    }

    @Override
    public void onDisconnected() {
      throw new IllegalStateException("members of a shared subscription must not disconnect");
    }

    @Override
    public long onReconnected(SentMessages sentMessages) {
      throw new IllegalStateException("members of a shared subscription must not disconnect");
    }
  }
}
