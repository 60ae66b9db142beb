package io.fjordmq.perf.load;

import io.fjordmq.perf.scenario.Scenario;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Names of topics and filters of one run.
 *
 * @param label no other run has it
 */
record Topics(Scenario scenario, String label) {
  /** As many as the reference report of phones and devices has. */
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

  /** Of subscriber number n; with partners, of client number n. */
  List<String> ofSubscriber(int subscriber) {
    return switch (scenario.flow()) {
      case MUTUAL -> List.of(topic(partner(subscriber)));
      case SHARED -> List.of("$share/" + label + "/" + base() + "/+");
      case CONNECTIONS, PAIRS, TOPICS -> List.of(topic(subscriber));
    };
  }

  /** Of one that gets everything. */
  List<String> ofCollector() {
    return switch (scenario.flow()) {
      case MUTUAL -> IntStream.range(0, FAMILIES).mapToObj(f -> family(f) + "/+").toList();
      case CONNECTIONS, PAIRS, SHARED, TOPICS -> List.of(base() + "/+");
    };
  }

  /** 0 and 1 are partners, 2 and 3 … */
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
