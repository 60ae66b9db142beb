package io.fjordmq.perf.load;

import io.fjordmq.perf.scenario.Clients;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Scenario;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Who of those that publish and receive is in, and what is to be expected of them: less than the
 * scenario says if some were refused.
 *
 * @param publishers who are in
 * @param allPublishers of the scenario
 * @param receivers who are in: subscribers, partners and collectors
 * @param allReceivers of the scenario
 * @param publishesPerSecond by those who are in
 * @param deliveriesPerSecond between them
 */
record Turnout(
    int publishers,
    int allPublishers,
    int receivers,
    int allReceivers,
    double publishesPerSecond,
    double deliveriesPerSecond) {

  /**
   * Counts them.
   *
   * @param publishes whether publisher n is in
   * @param receives whether the subscriber of a place is in: first the subscribers, with partners
   *     all clients, then the collectors
   */
  static Turnout of(Scenario scenario, IntPredicate publishes, IntPredicate receives) {
    Clients clients = scenario.clients();
    int subscribers = scenario.flow() == Flow.MUTUAL ? clients.publishers() : clients.subscribers();
    int places = subscribers + clients.collectors();
    int publishers = count(clients.publishers(), publishes);
    long heard =
        switch (scenario.flow()) {
          case CONNECTIONS -> 0;
          case PAIRS -> count(subscribers, place -> receives.test(place) && publishes.test(place));
          case MUTUAL ->
              count(
                  subscribers,
                  place -> receives.test(place) && publishes.test(Topics.partner(place)));
          case SHARED -> count(subscribers, receives) > 0 ? publishers : 0;
          case TOPICS -> meetings(clients, publishes, receives);
        };
    long collected = (long) publishers * (count(places, receives) - count(subscribers, receives));
    double rate = scenario.traffic().perSecond();
    return new Turnout(
        publishers,
        clients.publishers(),
        count(places, receives),
        places,
        publishers * rate,
        (heard + collected) * rate);
  }

  private static int count(int most, IntPredicate in) {
    return (int) IntStream.range(0, most).filter(in).count();
  }

  /** Pairs of a publisher and a subscriber at the same topic. */
  private static long meetings(Clients clients, IntPredicate publishes, IntPredicate receives) {
    int topics = clients.topics();
    long[] at = new long[topics];
    IntStream.range(0, clients.publishers()).filter(publishes).forEach(n -> at[n % topics]++);
    return IntStream.range(0, clients.subscribers())
        .filter(receives)
        .mapToLong(n -> at[n % topics])
        .sum();
  }

  boolean isFull() {
    return publishers == allPublishers && receivers == allReceivers;
  }

  /** For a report. */
  @Override
  public String toString() {
    return publishers
        + " of "
        + allPublishers
        + " publishers, "
        + receivers
        + " of "
        + allReceivers
        + " subscribers";
  }
}
