package io.fjordmq.cli.doctor;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The effective configuration of the node.
 *
 * @param values the value of each key, with sizes in bytes and durations such as {@code 10 s}
 */
public record NodeConfiguration(Map<String, String> values) {
  private static final Pattern LISTENER =
      Pattern.compile("(mqttServerConfig\\.(tcp|tls|ws|wss)Listener(\\.[0-9]+)?)\\.port");

  private static final Pattern DURATION = Pattern.compile("([0-9]+) (ms|s|min|h|d)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  /**
   * A port on which the node listens.
   *
   * @param key the key of the port
   * @param host the address to bind to; empty for all
   * @param backlog the length of the accept queue; 0 if the key does not exist
   * @param maxConnections the number of clients; 0 if it is not a listener of MQTT
   */
  record Port(
      String key, String host, int port, long backlog, long maxConnections, boolean isTls) {}

  String text(String key) {
    return values.getOrDefault(key, "");
  }

  /** Returns a number; 0 if the key does not exist or is not a number. */
  long number(String key) {
    String value = text(key);
    return value.matches("[0-9]{1,18}") ? Long.parseLong(value) : 0;
  }

  /** Returns a duration in milliseconds; 0 if the key does not exist or is not a duration. */
  long millis(String key) {
    Matcher matcher = DURATION.matcher(text(key));
    return matcher.matches()
        ? Long.parseLong(matcher.group(1)) * MILLIS.getOrDefault(matcher.group(2), 0L)
        : 0;
  }

  /** Returns the listeners for clients. */
  List<Port> listeners() {
    Set<String> sections = new LinkedHashSet<>();
    values.keySet().stream()
        .map(LISTENER::matcher)
        .filter(Matcher::matches)
        .forEach(matcher -> sections.add(matcher.group(1)));
    return sections.stream()
        .map(
            section ->
                new Port(
                    section + ".port",
                    text(section + ".host"),
                    (int) number(section + ".port"),
                    number(section + ".backlog"),
                    number(section + ".maxConnections"),
                    section.contains("tls") || section.contains("wss")))
        .toList();
  }

  /** Returns all TCP ports of the node. */
  List<Port> ports() {
    List<Port> ports = new ArrayList<>(listeners());
    ports.add(port("httpConfig.port", text("httpConfig.host"), 0));
    ports.add(port("clusterConfig.port", text("clusterConfig.host"), 0));
    ports.add(port("clusterConfig.port", text("clusterConfig.host"), 1));
    return ports;
  }

  private Port port(String key, String host, int offset) {
    String name = offset == 0 ? key : key + " + " + offset;
    int port = (int) number(key);
    return new Port(name, host, port == 0 ? 0 : port + offset, 0, 0, false);
  }
}
