package io.fjordmq.perf.tool;

import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.machine.HostInfo;
import io.fjordmq.perf.machine.Program;
import io.fjordmq.perf.scenario.ClientUsers;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scale;
import io.fjordmq.perf.scenario.Scale.Scaled;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.UsageException;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.perf.users.UserServices;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
    UserStore store = requestedScenario().connections().users().store();
    if (store != UserStore.NONE && !starts) {
      obstacles.add(
          "users: each client has its own user, and an external broker does not know these users; "
              + OptionalRequirement.USERS.advice());
    }
    if (starts) {
      storeObstacle(store).ifPresent(obstacles::add);
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
        new Feasibility(HostInfo.openFiles(), HostInfo.availableKilobytes())
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

  private Optional<String> storeObstacle(UserStore store) {
    String obstacle;
    if (store == UserStore.SCRAM
        && requestedScenario().connections().version() != ConnectSettings.MQTT_5) {
      return Optional.of("scram: clients must use MQTT 5");
    } else if (options.brokers.contains(BrokerSpec.MOSQUITTO)
        && store != UserStore.NONE
        && store != UserStore.FILES) {
      obstacle = "%s: mosquitto cannot read users from this store".formatted(store);
    } else {
      Optional<String> missing = UserServices.missingPackage(store);
      if (missing.isEmpty()) {
        return Optional.empty();
      }
      obstacle = "%s: %s must be installed".formatted(store, missing.get());
    }
    String advice =
        store == UserStore.REDIS
            ? OptionalRequirement.REDIS.advice()
            : OptionalRequirement.USERS.advice();
    return Optional.of(obstacle + "; " + advice);
  }

  private Scenario requestedScenario() {
    Scenario scenario = original;
    ClientUsers users = original.connections().users();
    if (options.without().contains(OptionalRequirement.USERS)) {
      scenario = scenario.with(ClientUsers.ANONYMOUS);
    } else if (users.store() == UserStore.REDIS
        && options.without().contains(OptionalRequirement.REDIS)) {
      scenario = scenario.with(new ClientUsers(UserStore.FILES, users.rules()));
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
    if (original.connections().users().exist()) {
      notes.add(userNote(scaled.scenario().connections().users().store()));
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

  private static String userNote(UserStore store) {
    return switch (store) {
      case NONE -> "omitted: users and their access rules";
      case FILES ->
          "users, passwords (hashed with SHA-512) and access rules are in files that the broker"
              + " reads at startup, not in Redis";
      case REDIS ->
          "users, passwords (hashed with SHA-256) and access rules are in a Redis server that the"
              + " tool starts on this host; Redis, the broker and the tool share its processors";
      case HTTP -> "users and access rules are behind an HTTP service in the process of the tool";
      case JWT -> "passwords are tokens that contain the access rules";
      case POSTGRESQL, MYSQL, LDAP ->
          "users and access rules are in a server that the tool starts on this host; the server,"
              + " the broker and the tool share its processors";
      case DATABASE, SCRAM -> "users and access rules are in the database of the cluster";
    };
  }
}
