package io.fjordmq.perf.scenario;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The grammar of scenario names. Most names define the whole scenario, so any name that matches one
 * of these patterns can be run, whether it is listed or not.
 *
 * <pre>
 * true_P_S_qosQ_pB_Rmps_Nn          P publishers, R msg/s of B bytes each, one of S subscribers each
 * false_P_S_qosQ_pB_Rmps_Nn[_Vv]    the same with persistent sessions and V voters per range
 * share_…                           the S subscribers share one subscription
 * fanout_…                          each of the S subscribers gets every message
 * apart_…                           publisher and subscriber of a pair are on different nodes
 * …_cold                            the load starts with the cluster
 * conn-tcp-C-R_Nn_true              C connections at R per second; tls, mtls; false: persistent
 * conn_tcp_C_Nn                     like the above at 1,000 per second, or 500 with TLS
 * v5_C_qosQ_pB_Rmps_Nn              C clients with MQTT 5, half of which publish to the other half
 * </pre>
 *
 * <p>The prefix {@code true_} may be omitted; see {@link #withPrefix}.
 */
final class ScenarioName {
  /** The prefix of most names, which may be omitted. */
  private static final String CLEAN = "true_";

  private static final String NODES = "_(?<nodes>\\d{1,4})n";

  private static final String TRAFFIC =
      "_qos(?<qos>\\d)_p(?<payloadBytes>\\d{1,8})_(?<perSecond>\\d+(?:\\.\\d+)?)mps" + NODES;

  private static final Pattern MESSAGES =
      Pattern.compile(
          "(?<prefix>share_|fanout_|apart_|)(?:(?<clean>true|false)_)?"
              + Count.group("publishers")
              + "_"
              + Count.group("subscribers")
              + TRAFFIC
              + "(?:_(?<voters>\\d{1,2})v)?(?<cold>_cold)?");

  private static final Pattern CONNECTIONS =
      Pattern.compile(
          "conn-(?<transport>tcp|tls|mtls)-%s-%s%s_(?<clean>true|false)"
              .formatted(Count.group("idle"), Count.group("rate"), NODES));

  private static final Pattern SHORT_CONNECTIONS =
      Pattern.compile("conn_(?<transport>tcp|tls|mtls)_" + Count.group("idle") + NODES);

  private static final Pattern MQTT_5 = Pattern.compile("v5_" + Count.group("clients") + TRAFFIC);

  private ScenarioName() {}

  /**
   * Returns the name with the prefix {@code true_} if it omits it; other names are returned
   * unchanged.
   */
  static String withPrefix(String name) {
    Matcher messages = MESSAGES.matcher(name);
    if (!messages.matches() || messages.group("clean") != null) {
      return name;
    }
    String prefix = messages.group("prefix");
    return prefix + CLEAN + name.substring(prefix.length());
  }

  /**
   * Returns the scenario of a name that defines it completely.
   *
   * @return the scenario; empty if the name matches none of the patterns
   * @throws UsageException if the name contains invalid values
   */
  static Optional<Scenario> parse(String name) {
    return values(name).map(values -> ScenarioEntry.read(withPrefix(name), null));
  }

  /**
   * Returns the values in a name, by the keys of scenario files; empty if it matches no pattern.
   */
  static Optional<Map<String, Object>> values(String name) {
    Map<String, Object> values = new LinkedHashMap<>();
    Matcher messages = MESSAGES.matcher(name);
    Matcher connections = CONNECTIONS.matcher(name);
    Matcher shortConnections = SHORT_CONNECTIONS.matcher(name);
    Matcher mqtt5 = MQTT_5.matcher(name);
    if (messages.matches()) {
      put(values, messages, "publishers", "subscribers", "qos", "payloadBytes", "nodes", "voters");
      values.put("perSecond", Double.valueOf(messages.group("perSecond")));
      values.put("persistent", "false".equals(messages.group("clean")));
      values.put("cold", messages.group("cold") != null);
      switch (messages.group("prefix")) {
        case "share_" -> values.put("flow", "shared");
        case "fanout_" -> values.putAll(Map.of("flow", "topics", "topics", 1));
        case "apart_" -> values.putAll(Map.of("flow", "pairs", "apart", true));
        default -> values.put("flow", "pairs");
      }
    } else if (connections.matches()) {
      put(values, connections, "transport", "idle", "nodes");
      values.put("flow", "connections");
      values.put("connectsPerSecond", Count.parse(connections.group("rate")));
      values.put("persistent", connections.group("clean").equals("false"));
    } else if (shortConnections.matches()) {
      put(values, shortConnections, "transport", "idle", "nodes");
      values.put("flow", "connections");
      values.put(
          "connectsPerSecond", shortConnections.group("transport").equals("tcp") ? 1_000 : 500);
    } else if (mqtt5.matches()) {
      int half = Count.parse(mqtt5.group("clients")) / 2;
      put(values, mqtt5, "qos", "payloadBytes", "nodes");
      values.put("perSecond", Double.valueOf(mqtt5.group("perSecond")));
      values.putAll(Map.of("flow", "pairs", "publishers", half, "subscribers", half, "mqtt", 5));
    }
    return values.isEmpty() ? Optional.empty() : Optional.of(values);
  }

  private static void put(Map<String, Object> values, Matcher matcher, String... keys) {
    for (String key : keys) {
      if (matcher.group(key) != null) {
        values.put(key, matcher.group(key));
      }
    }
  }
}
