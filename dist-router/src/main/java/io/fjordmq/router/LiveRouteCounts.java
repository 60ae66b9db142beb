package io.fjordmq.router;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Counts the routes to each incarnation of a node, so that nobody has to visit all routes to find
 * those of ended incarnations. Thread-safe.
 */
final class LiveRouteCounts {
  /** By incarnation, with an empty member; without those that have no routes. */
  private final Map<Receiver.Live, Long> routes = new ConcurrentHashMap<>();

  /**
   * Adds to the routes of a receiver.
   *
   * @param added number of routes; negative if routes were removed
   */
  void add(Receiver receiver, long added) {
    if (added != 0 && receiver instanceof Receiver.Live live) {
      routes.merge(
          withoutMember(live), added, (before, more) -> before + more == 0 ? null : before + more);
    }
  }

  private static Receiver.Live withoutMember(Receiver.Live live) {
    return live.member().isEmpty() ? live : new Receiver.Live(live.node(), live.incarnation(), "");
  }

  /** Returns the latest ended incarnation of each node that still has routes. */
  Map<String, Long> ended(Predicate<Receiver.Live> hasEnded) {
    Map<String, Long> latest = new HashMap<>();
    for (Receiver.Live incarnation : routes.keySet()) {
      if (hasEnded.test(incarnation)) {
        latest.merge(incarnation.node(), incarnation.incarnation(), Math::max);
      }
    }
    return latest;
  }
}
