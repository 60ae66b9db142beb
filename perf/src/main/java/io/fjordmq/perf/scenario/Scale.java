package io.fjordmq.perf.scenario;

import io.fjordmq.testing.RecordBuilder;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Scales scenarios down to fewer clients, but at least one of each kind. The rate of each client
 * stays the same.
 *
 * @param factor above 0, at most 1
 */
public record Scale(double factor) {
  public static final Scale FULL = new Scale(1);

  /**
   * @param scenario the scenario after scaling
   * @param notes differences from the original, for the report
   */
  public record Scaled(Scenario scenario, List<String> notes) {}

  public Scale {
    if (!(factor > 0 && factor <= 1)) {
      throw new UsageException("--scale must be above 0 and at most 1, not " + factor);
    }
  }

  /** Returns the factor without trailing zeros. */
  @Override
  public String toString() {
    return BigDecimal.valueOf(factor).stripTrailingZeros().toPlainString();
  }

  public boolean isFull() {
    return factor == 1;
  }

  /** Returns the same scenario with fewer clients. */
  public Scaled apply(Scenario whole) {
    if (isFull()) {
      return new Scaled(whole, List.of());
    }
    Clients clients = whole.clients();
    boolean mutual = whole.flow() == Flow.MUTUAL;
    Clients fewer =
        new Clients(
            mutual ? 2 * of(clients.publishers() / 2) : of(clients.publishers()),
            of(clients.subscribers()),
            of(clients.idle()),
            of(clients.topics()),
            clients.collectors(),
            clients.apart());
    List<String> notes = new ArrayList<>();
    notes.add("clients scaled by " + this + "; original: " + whole.summary());
    note(notes, "publishers", clients.publishers(), fewer.publishers());
    note(notes, "subscribers", clients.subscribers(), fewer.subscribers());
    note(notes, "idle connections", clients.idle(), fewer.idle());
    note(notes, "topics", clients.topics(), fewer.topics());
    return new Scaled(with(whole, fewer, whole.cluster()), notes);
  }

  /** Returns the same scenario with at most the given number of nodes. */
  public static Scaled nodes(Scaled scaled, int nodes) {
    Scenario scenario = scaled.scenario();
    Cluster cluster = scenario.cluster();
    if (cluster.nodes() <= nodes) {
      return scaled;
    }
    List<String> notes = new ArrayList<>(scaled.notes());
    notes.add("nodes: " + nodes + " instead of " + cluster.nodes());
    Cluster smaller =
        new Cluster(nodes, Math.min(cluster.voters(), nodes), cluster.cold(), cluster.limits());
    return new Scaled(with(scenario, scenario.clients(), smaller), notes);
  }

  private int of(int count) {
    return count == 0 ? 0 : (int) Math.max(1, Math.round(count * factor));
  }

  private static void note(List<String> notes, String what, int before, int after) {
    if (before != after) {
      notes.add(what + ": " + after + " instead of " + before);
    } else if (before > 0) {
      notes.add(what + ": " + after + " (as in the original)");
    }
  }

  private static Scenario with(Scenario scenario, Clients clients, Cluster cluster) {
    return RecordBuilder.from(scenario)
        .with(Scenario::clients, clients)
        .with(Scenario::cluster, cluster)
        .build();
  }
}
