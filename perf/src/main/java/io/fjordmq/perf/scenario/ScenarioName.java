package io.fjordmq.perf.scenario;

import io.fjordmq.perf.scenario.Connections.Transport;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The grammar of scenario names. Most names define the whole scenario, so that any name of these
 * patterns can be run, listed or not.
 *
 * <pre>
 * true_P_S_qosQ_pB_Rmps_Nn          P publishers, R msg/s of B bytes each, to one of S subscribers
 * false_P_S_qosQ_pB_Rmps_Nn[_Vv]    the same with persistent sessions, V voters for each range
 * share_…                           the S subscribers are one shared subscription
 * fanout_…                          each of the S subscribers gets every message
 * …_cold                            the load starts with the cluster
 * conn-tcp-C-R_Nn_true              C connections at R per second; tls, mtls; false: persistent
 * conn_tcp_C_Nn                     the same at 1,000 per second, with TLS at 500
 * v5_C_qosQ_pB_Rmps_Nn              C clients of MQTT 5, half of them publish to the other half
 * </pre>
 *
 * <p>The prefix {@code true_} may be omitted; see {@link #whole}.
 */
final class ScenarioName {
  private static final int SECONDS = 60;

  /** The prefix of most names, which may be omitted. */
  private static final String CLEAN = "true_";

  private static final Pattern MESSAGES =
      Pattern.compile(
          "(share_|fanout_)?(?:(true|false)_)?"
              + Count.PATTERN
              + "_"
              + Count.PATTERN
              + "_qos(\\d)_p(\\d{1,8})_(\\d+(?:\\.\\d+)?)mps_(\\d{1,4})n(?:_(\\d{1,2})v)?(_cold)?");

  private static final Pattern CONNECTIONS =
      Pattern.compile(
          "conn-(tcp|tls|mtls)-"
              + Count.PATTERN
              + "-"
              + Count.PATTERN
              + "_(\\d{1,4})n_(true|false)");

  private static final Pattern SHORT_CONNECTIONS =
      Pattern.compile("conn_(tcp|tls|mtls)_" + Count.PATTERN + "_(\\d{1,4})n");

  private static final Pattern MQTT_5 =
      Pattern.compile(
          "v5_" + Count.PATTERN + "_qos(\\d)_p(\\d{1,8})_(\\d+(?:\\.\\d+)?)mps_(\\d{1,4})n");

  private ScenarioName() {}

  /** The name with the prefix it may omit; other names are returned unchanged. */
  static String whole(String name) {
    Matcher messages = MESSAGES.matcher(name);
    if (!messages.matches() || messages.group(2) != null) {
      return name;
    }
    String prefix = messages.group(1) == null ? "" : messages.group(1);
    return prefix + CLEAN + name.substring(prefix.length());
  }

  /**
   * @return empty if the name has none of these patterns
   * @throws ScenarioException if it has one with invalid values
   */
  static Optional<Scenario> parse(String name) {
    Matcher messages = MESSAGES.matcher(name);
    if (messages.matches()) {
      return Optional.of(messages(whole(name), messages));
    }
    Matcher connections = CONNECTIONS.matcher(name);
    if (connections.matches()) {
      return Optional.of(
          connections(
              name,
              connections.group(1),
              Count.parse(connections.group(2)),
              Count.parse(connections.group(3)),
              Integer.parseInt(connections.group(4)),
              connections.group(5).equals("false")));
    }
    Matcher brief = SHORT_CONNECTIONS.matcher(name);
    if (brief.matches()) {
      return Optional.of(
          connections(
              name,
              brief.group(1),
              Count.parse(brief.group(2)),
              brief.group(1).equals("tcp") ? 1_000 : 500,
              Integer.parseInt(brief.group(3)),
              false));
    }
    Matcher mqtt5 = MQTT_5.matcher(name);
    return mqtt5.matches() ? Optional.of(mqtt5(name, mqtt5)) : Optional.empty();
  }

  private static Scenario messages(String name, Matcher matcher) {
    int publishers = Count.parse(matcher.group(3));
    int subscribers = Count.parse(matcher.group(4));
    String prefix = matcher.group(1) == null ? "" : matcher.group(1);
    boolean fanout = prefix.equals("fanout_");
    return new Scenario(
        name,
        switch (prefix) {
          case "share_" -> Flow.SHARED;
          case "fanout_" -> Flow.TOPICS;
          default -> Flow.PAIRS;
        },
        new Clients(publishers, subscribers, 0, fanout ? 1 : 0, 0),
        traffic(matcher.group(7), matcher.group(6), matcher.group(5)),
        new Connections(
            Transport.TCP,
            Connections.MQTT_3,
            "false".equals(matcher.group(2)),
            0,
            0,
            Leaving.NONE,
            false),
        new Cluster(
            Integer.parseInt(matcher.group(8)),
            matcher.group(9) == null ? 0 : Integer.parseInt(matcher.group(9)),
            matcher.group(10) != null,
            NodeLimits.NONE),
        SECONDS,
        "");
  }

  private static Scenario connections(
      String name, String transport, int count, int perSecond, int nodes, boolean persistent) {
    return new Scenario(
        name,
        Flow.CONNECTIONS,
        new Clients(0, 0, count, 0, 0),
        new Traffic(0, 0, 0, 100),
        new Connections(
            Transport.valueOf(transport.toUpperCase(Locale.ROOT)),
            Connections.MQTT_3,
            persistent,
            perSecond,
            0,
            Leaving.NONE,
            false),
        new Cluster(nodes, 0, false, NodeLimits.NONE),
        SECONDS,
        "");
  }

  private static Scenario mqtt5(String name, Matcher matcher) {
    int clients = Count.parse(matcher.group(1));
    return new Scenario(
        name,
        Flow.PAIRS,
        new Clients(clients / 2, clients / 2, 0, 0, 0),
        traffic(matcher.group(4), matcher.group(3), matcher.group(2)),
        new Connections(Transport.TCP, Connections.MQTT_5, false, 0, 0, Leaving.NONE, false),
        new Cluster(Integer.parseInt(matcher.group(5)), 0, false, NodeLimits.NONE),
        SECONDS,
        "");
  }

  private static Traffic traffic(String perSecond, String payload, String qos) {
    return new Traffic(
        Double.parseDouble(perSecond), Integer.parseInt(payload), Integer.parseInt(qos), 100);
  }
}
