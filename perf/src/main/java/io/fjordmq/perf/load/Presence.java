package io.fjordmq.perf.load;

import java.util.concurrent.atomic.AtomicInteger;

/** How many clients are in, and who of those that were is not any more. Any thread. */
final class Presence {
  private final Arrivals arrivals;
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger away = new AtomicInteger();
  private final AtomicInteger departures = new AtomicInteger();
  private final Reasons losses = new Reasons();

  /**
   * @param arrivals which know who has come
   */
  Presence(Arrivals arrivals) {
    this.arrivals = arrivals;
  }

  /** How many are in now; never less than none. */
  int connected() {
    int gone = lost.get() + away.get(); // first: nobody goes before it has come
    return arrivals.accepted() - gone;
  }

  /** The connection of one that was in has ended and should not have. */
  void lose(String reason) {
    lost.incrementAndGet();
    losses.note(reason, "");
  }

  /** Connections that ended and should not have. */
  int lost() {
    return lost.get();
  }

  /** Why they did. */
  Reasons losses() {
    return losses;
  }

  /** One has left and will come back. */
  void leave() {
    departures.incrementAndGet();
    away.incrementAndGet();
  }

  /** It has. */
  void comeBack() {
    away.decrementAndGet();
  }

  /** It has not: the broker would not have it. */
  void stayAway(String reason) {
    away.decrementAndGet(); // before it is lost: it is not gone twice
    lose("could not come back: " + reason);
  }

  /** How often one has left. */
  int departures() {
    return departures.get();
  }
}
