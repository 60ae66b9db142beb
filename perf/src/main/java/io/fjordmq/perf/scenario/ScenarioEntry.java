package io.fjordmq.perf.scenario;

import io.fjordmq.perf.scenario.Connections.Transport;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses one scenario of a file: its keys add what the name does not say. Unknown keys are
 * rejected.
 */
final class ScenarioEntry {
  private static final int SECONDS = 60;

  private static final Set<String> KEYS =
      Set.of(
          "flow",
          "publishers",
          "subscribers",
          "idle",
          "topics",
          "collectors",
          "perSecond",
          "payloadBytes",
          "qos",
          "qosPercent",
          "transport",
          "mqtt",
          "persistent",
          "connectsPerSecond",
          "keepAliveSeconds",
          "users",
          "leavingPercent",
          "leastLifeSeconds",
          "mostLifeSeconds",
          "nodes",
          "voters",
          "cold",
          "nodeProcessors",
          "nodeGibibytes",
          "seconds",
          "published");

  private final String name;
  private final Map<String, Object> values;

  private ScenarioEntry(String name, Map<String, Object> values) {
    this.name = name;
    this.values = values;
  }

  /**
   * @param content a map of keys; null if the name says everything
   */
  static Scenario read(String name, @Nullable Object content) {
    Map<String, Object> values = new LinkedHashMap<>();
    if (content instanceof Map<?, ?> map) {
      map.forEach((key, value) -> values.put(String.valueOf(key), value));
    } else if (content != null) {
      throw new ScenarioException(name + ": expected a map of keys, not '" + content + "'");
    }
    values.keySet().stream()
        .filter(key -> !KEYS.contains(key))
        .findFirst()
        .ifPresent(
            key -> {
              throw new ScenarioException(
                  name
                      + ": unknown key '"
                      + key
                      + "'; must be one of "
                      + KEYS.stream().sorted().collect(Collectors.joining(", ")));
            });
    return new ScenarioEntry(name, values).scenario();
  }

  private Scenario scenario() {
    Optional<Scenario> named = ScenarioName.parse(name);
    if (named.isPresent() && values.containsKey("flow")) {
      throw new ScenarioException(name + ": the name already implies the flow; remove 'flow'");
    }
    Flow flow = named.map(Scenario::flow).orElseGet(() -> oneOf("flow", Flow.class, null));
    Clients clients = named.map(Scenario::clients).orElse(new Clients(0, 0, 0, 0, 0));
    Traffic traffic = named.map(Scenario::traffic).orElse(new Traffic(0, 0, 0, 100));
    Connections connections =
        named
            .map(Scenario::connections)
            .orElse(
                new Connections(
                    Transport.TCP, Connections.MQTT_3, false, 0, 0, Leaving.NONE, false));
    Cluster cluster =
        named.map(Scenario::cluster).orElse(new Cluster(1, 0, false, NodeLimits.NONE));
    return new Scenario(
        name,
        flow,
        new Clients(
            count("publishers", clients.publishers()),
            count("subscribers", clients.subscribers()),
            count("idle", clients.idle()),
            count("topics", clients.topics()),
            count("collectors", clients.collectors())),
        new Traffic(
            decimal("perSecond", traffic.perSecond()),
            count("payloadBytes", traffic.payloadBytes()),
            count("qos", traffic.qos()),
            count("qosPercent", traffic.qosPercent())),
        new Connections(
            oneOf("transport", Transport.class, connections.transport()),
            count("mqtt", connections.version()),
            yes("persistent", connections.persistent()),
            decimal("connectsPerSecond", connections.perSecond()),
            count("keepAliveSeconds", connections.keepAliveSeconds()),
            new Leaving(
                decimal("leavingPercent", 0),
                count("leastLifeSeconds", 0),
                count("mostLifeSeconds", 0)),
            yes("users", connections.users())),
        new Cluster(
            count("nodes", cluster.nodes()),
            count("voters", cluster.voters()),
            yes("cold", cluster.cold()),
            limits()),
        count("seconds", SECONDS),
        String.valueOf(values.getOrDefault("published", "")));
  }

  private NodeLimits limits() {
    double processors = decimal("nodeProcessors", 0);
    double gibibytes = decimal("nodeGibibytes", 0);
    try {
      return new NodeLimits(processors, gibibytes);
    } catch (ScenarioException e) {
      throw new ScenarioException(name + ": " + e.getMessage());
    }
  }

  private int count(String key, int otherwise) {
    Object value = values.get(key);
    return value == null ? otherwise : Count.parse(String.valueOf(value).replace("_", ""));
  }

  private double decimal(String key, double otherwise) {
    Object value = values.get(key);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof Number number && number.doubleValue() >= 0) {
      return number.doubleValue();
    }
    throw new ScenarioException(name + ": " + key + " must be a number, not '" + value + "'");
  }

  private boolean yes(String key, boolean otherwise) {
    Object value = values.get(key);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw new ScenarioException(name + ": " + key + " must be true or false, not '" + value + "'");
  }

  private <E extends Enum<E>> E oneOf(String key, Class<E> type, @Nullable E otherwise) {
    Object value = values.get(key);
    if (value == null && otherwise != null) {
      return otherwise;
    }
    for (E constant : type.getEnumConstants()) {
      if (constant.name().toLowerCase(Locale.ROOT).equals(String.valueOf(value))) {
        return constant;
      }
    }
    throw new ScenarioException(
        name
            + ": "
            + key
            + " must be one of "
            + Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "))
            + (value == null ? "; it is missing" : ", not '" + value + "'"));
  }
}
