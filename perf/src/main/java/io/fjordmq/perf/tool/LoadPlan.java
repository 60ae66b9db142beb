package io.fjordmq.perf.tool;

import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.machine.MachineFacts;
import io.fjordmq.perf.machine.Program;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scale;
import io.fjordmq.perf.scenario.Scale.Scaled;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Scales a load scenario to this host, or rejects it if the host cannot run it. */
record LoadPlan(Scenario original, RunOptions options) {
  private static final int WARM_SECONDS = 15;

  /**
   * @throws UsageException if this host cannot run it
   */
  Plan plan() {
    if (!options.parameters.isEmpty()) {
      throw new UsageException(
          "--set: a load scenario has no parameters; its name defines its values");
    }
    Scaled scaled = scaledToHost();
    Scenario scenario = scaled.scenario();
    int warmSeconds = warmSeconds(scenario);
    Map<String, String> facts = new TreeMap<>();
    NodeLimits limits = requestedScenario().cluster().limits();
    if (!limits.isNone()) {
      facts.put("limits of each node", limits + ", by cgroups of version 1");
    }
    return new Plan(
        original.name(),
        scenario.summary(),
        original.published(),
        scenario.flow().name().toLowerCase(Locale.ROOT),
        options.runs(1),
        warmSeconds,
        options.seconds(original.seconds()),
        Map.of(),
        facts,
        notes(scaled),
        new LoadRounds(options, scenario));
  }

  private int warmSeconds(Scenario scenario) {
    if (scenario.flow() == Flow.CONNECTIONS) {
      return 0; // without messages, there is nothing to warm up
    }
    return options.warmSeconds(scenario.cluster().cold() ? 0 : WARM_SECONDS);
  }

  /** Returns the scenario, scaled as requested. */
  private Scaled scaledToHost() {
    List<String> obstacles = new ArrayList<>();
    boolean starts = options.hosts().isEmpty();
    if (requestedScenario().connections().users() && !starts) {
      obstacles.add(
          "users: each client has its own user, and an external broker does not know these users; "
              + OptionalRequirement.USERS.advice());
    }
    HostResources.obstacle(requestedScenario().cluster().limits(), starts)
        .ifPresent(obstacles::add);
    Scaled scaled = options.scale().apply(requestedScenario());
    if (starts && !options.scale().isFull()) {
      scaled = Scale.nodes(scaled, Feasibility.MAX_NODES);
    } else if (!starts) {
      scaled = Scale.nodes(scaled, options.hosts().size());
    }
    Scenario scenario = scaled.scenario();
    obstacles.addAll(
        new Feasibility(MachineFacts.openFiles(), MachineFacts.availableKilobytes())
            .obstacles(scenario, options.scale().factor(), starts));
    if (options.brokers.contains(BrokerSpec.MOSQUITTO)
        && !Program.isInPath(BrokerSpec.MOSQUITTO, System.getenv().getOrDefault("PATH", ""))) {
      obstacles.add("mosquitto is not installed or not in PATH");
    }
    if (options.brokers.contains(BrokerSpec.MOSQUITTO) && scenario.cluster().nodes() > 1) {
      obstacles.add(
          "mosquitto runs as a single node, but the scenario needs " + scenario.cluster().nodes());
    }
    if (!starts && scenario.cluster().cold()) {
      obstacles.add(
          "a cold cluster starts together with the load, so it cannot be an external broker");
    }
    if (!obstacles.isEmpty()) {
      throw new UsageException(
          "%s (%s) cannot run here:\n  - %s"
              .formatted(original.name(), scenario.summary(), String.join("\n  - ", obstacles)));
    }
    return scaled;
  }

  private Scenario requestedScenario() {
    Scenario scenario = original;
    if (options.without().contains(OptionalRequirement.USERS)) {
      scenario = scenario.withoutUsers();
    }
    if (options.without().contains(OptionalRequirement.NODE_LIMITS)) {
      scenario = scenario.withoutNodeLimits();
    }
    return scenario;
  }

  private List<String> notes(Scaled scaled) {
    List<String> notes = new ArrayList<>(scaled.notes());
    notes.addAll(
        HostResources.own().notes(original.cluster().limits(), scaled.scenario().cluster()));
    if (scaled.scenario().flow() == Flow.CONNECTIONS && options.warmSeconds(0) > 0) {
      notes.add("connection scenarios have no warm-up; --warm is ignored");
    }
    if (original.connections().users()) {
      notes.add(
          scaled.scenario().connections().users()
              ? "users, passwords (hashed with SHA-512) and access rules are in files that"
                  + " the broker reads at startup, not in Redis"
              : "omitted: users and their access rules");
    }
    if (!options.brokers.isEmpty() && BrokerLauncher.needsRaisedRateLimits(scaled.scenario())) {
      notes.add(
          "FjordMQ's rate limits per client are disabled because the busiest client might reach "
              + "them");
    }
    if (!options.hosts().isEmpty()) {
      notes.add(
          "external broker: this tool does not control its nodes, its voters or its data on disk");
    } else if (options.brokers.contains(BrokerSpec.MOSQUITTO)
        && scaled.scenario().connections().persistent()) {
      notes.add("mosquitto keeps persistent sessions in memory and saves them periodically");
    }
    if (original.connections().transport() != Transport.TCP && options.hosts().isEmpty()) {
      notes.add("certificates are generated for the run (P-256); no TLS session is resumed");
    }
    return notes;
  }
}
