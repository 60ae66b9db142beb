package io.fjordmq.perf.load;

import io.fjordmq.perf.scenario.Clients;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Scenario;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The connected publishers and receivers, and the message rates expected from them. The rates are
 * lower than those of the scenario if clients were refused.
 *
 * @param publishers connected publishers
 * @param allPublishers all publishers of the scenario
 * @param receivers connected clients that receive messages: subscribers, partners and collectors
 * @param allReceivers all receivers of the scenario
 * @param publishesPerSecond publish rate of the connected publishers
 * @param deliveriesPerSecond delivery rate between connected clients
 */
public record ConnectedClients(
    int publishers,
    int allPublishers,
    int receivers,
    int allReceivers,
    double publishesPerSecond,
    double deliveriesPerSecond) {

  /**
   * Counts the connected clients.
   *
   * @param publishes whether publisher n is connected
   * @param receives whether receiver n is connected; the subscribers (with {@link Flow#MUTUAL}, all
   *     clients) come first, then the collectors
   */
  static ConnectedClients of(Scenario scenario, IntPredicate publishes, IntPredicate receives) {
    Clients clients = scenario.clients();
    int subscribers = scenario.flow() == Flow.MUTUAL ? clients.publishers() : clients.subscribers();
    int receiverSlots = subscribers + clients.collectors();
    int publishers = count(clients.publishers(), publishes);
    long deliveredPerMessage =
        switch (scenario.flow()) {
          case CONNECTIONS -> 0;
          case PAIRS -> count(subscribers, slot -> receives.test(slot) && publishes.test(slot));
          case MUTUAL ->
              count(
                  subscribers, slot -> receives.test(slot) && publishes.test(Topics.partner(slot)));
          case SHARED -> count(subscribers, receives) > 0 ? publishers : 0;
          case TOPICS -> topicPairs(clients, publishes, receives);
        };
    long collected =
        (long) publishers * (count(receiverSlots, receives) - count(subscribers, receives));
    double rate = scenario.traffic().perSecond();
    return new ConnectedClients(
        publishers,
        clients.publishers(),
        count(receiverSlots, receives),
        receiverSlots,
        publishers * rate,
        (deliveredPerMessage + collected) * rate);
  }

  /** Returns the counts and rates with all clients of the scenario connected. */
  public static ConnectedClients all(Scenario scenario) {
    return of(scenario, publisher -> true, receiver -> true);
  }

  private static int count(int limit, IntPredicate isConnected) {
    return (int) IntStream.range(0, limit).filter(isConnected).count();
  }

  /** Returns the number of pairs of a publisher and a subscriber with the same topic. */
  private static long topicPairs(Clients clients, IntPredicate publishes, IntPredicate receives) {
    int topics = clients.topics();
    long[] publishersByTopic = new long[topics];
    IntStream.range(0, clients.publishers())
        .filter(publishes)
        .forEach(n -> publishersByTopic[n % topics]++);
    return IntStream.range(0, clients.subscribers())
        .filter(receives)
        .mapToLong(n -> publishersByTopic[n % topics])
        .sum();
  }

  boolean allConnected() {
    return publishers == allPublishers && receivers == allReceivers;
  }

  /** Returns a description for the report. */
  @Override
  public String toString() {
    return "%d of %d publishers, %d of %d subscribers"
        .formatted(publishers, allPublishers, receivers, allReceivers);
  }
}
