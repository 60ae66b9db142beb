package io.fjordmq.perf.load;

import io.fjordmq.perf.scenario.Scenario;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The topics and filters of one run.
 *
 * @param label unique to the run
 */
record Topics(Scenario scenario, String label) {
  /** Number of device families, as in the published benchmark that this flow imitates. */
  private static final int FAMILIES = 20;

  byte[] ofPublisher(int publisher) {
    return topic(publisher).getBytes(StandardCharsets.UTF_8);
  }

  private String topic(int publisher) {
    return switch (scenario.flow()) {
      case MUTUAL -> family(publisher % FAMILIES) + "/" + publisher;
      case TOPICS -> base() + "/" + publisher % scenario.clients().topics();
      case CONNECTIONS, PAIRS, SHARED -> base() + "/" + publisher;
    };
  }

  /** Returns the filters of subscriber n or, with {@link Flow#MUTUAL}, of client n. */
  List<String> ofSubscriber(int subscriber) {
    return switch (scenario.flow()) {
      case MUTUAL -> List.of(topic(partner(subscriber)));
      case SHARED -> List.of("$share/" + label + "/" + base() + "/+");
      case CONNECTIONS, PAIRS, TOPICS -> List.of(topic(subscriber));
    };
  }

  /** Returns the filters of a collector. */
  List<String> ofCollector() {
    return switch (scenario.flow()) {
      case MUTUAL -> IntStream.range(0, FAMILIES).mapToObj(f -> family(f) + "/+").toList();
      case CONNECTIONS, PAIRS, SHARED, TOPICS -> List.of(base() + "/+");
    };
  }

  /**
   * Returns the partner of a client: clients 0 and 1 are partners, 2 and 3 are partners, and so on.
   */
  static int partner(int client) {
    return client ^ 1;
  }

  private String family(int family) {
    return base() + "/f" + family;
  }

  private String base() {
    return "perf/" + label;
  }
}
