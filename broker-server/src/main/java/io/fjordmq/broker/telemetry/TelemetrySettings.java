package io.fjordmq.broker.telemetry;

import java.net.URI;
import java.time.Duration;

/**
 * Settings for the export to OpenTelemetry.
 *
 * @param endpoint URL of the collector, {@code http://host:port} or {@code https://host:port};
 *     empty to export nothing
 * @param traces whether to export the spans of traced messages
 * @param metrics whether to export metrics
 * @param logs whether to export log lines
 * @param serviceName the resource attribute {@code service.name}
 * @param headers headers of each request, as {@code name=value,name=value}; secret
 * @param headersFile file with one {@code name=value} per line, an alternative to headers
 * @param trustFile PEM file with the CA certificates of the collector; empty for those of the JDK
 * @param timeout time limit for one request
 * @param metricsInterval interval between two exports of metrics
 * @param maxQueuedSpans maximum number of spans queued for export
 * @param maxQueuedLogs maximum number of log lines queued for export
 * @param maxSpansPerSecond maximum rate of PUBLISH packets and deliveries that are traced; 0 for no
 *     limit
 * @param maxDeliverySpans maximum spans for the deliveries of one message on this node
 */
public record TelemetrySettings(
    String endpoint,
    boolean traces,
    boolean metrics,
    boolean logs,
    String serviceName,
    String headers,
    String headersFile,
    String trustFile,
    Duration timeout,
    Duration metricsInterval,
    int maxQueuedSpans,
    int maxQueuedLogs,
    int maxSpansPerSecond,
    int maxDeliverySpans) {
  /** The defaults: nothing is exported. */
  public static final TelemetrySettings DEFAULTS =
      new TelemetrySettings(
          "",
          true,
          true,
          true,
          "fjordmq",
          "",
          "",
          "",
          Duration.ofSeconds(10),
          Duration.ofMinutes(1),
          8_192,
          8_192,
          5_000,
          128);

  private static final int MAX_QUEUED = 1_000_000;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with its name
   */
  public TelemetrySettings {
    if (!endpoint.isEmpty()) {
      requireEndpoint(endpoint);
    }
    require(!serviceName.isBlank(), "serviceName must not be empty");
    require(
        headers.isEmpty() || headersFile.isEmpty(), "headers and headersFile must not both be set");
    require(
        timeout.toMillis() >= 100 && timeout.compareTo(Duration.ofMinutes(1)) <= 0,
        "timeout must be between 100 ms and 1 min, not " + timeout.toMillis() + " ms");
    require(
        metricsInterval.toMillis() >= 1_000,
        "metricsInterval must be at least 1 s, not " + metricsInterval.toMillis() + " ms");
    requireQueue("maxQueuedSpans", maxQueuedSpans);
    requireQueue("maxQueuedLogs", maxQueuedLogs);
    require(
        maxSpansPerSecond >= 0, "maxSpansPerSecond must be at least 0, not " + maxSpansPerSecond);
    require(maxDeliverySpans >= 0, "maxDeliverySpans must be at least 0, not " + maxDeliverySpans);
  }

  private static void requireEndpoint(String endpoint) {
    boolean isValid;
    try {
      URI uri = URI.create(endpoint);
      isValid =
          ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
              && uri.getHost() != null
              && uri.getUserInfo() == null
              && (uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"))
              && uri.getRawQuery() == null;
    } catch (IllegalArgumentException e) {
      isValid = false;
    }
    require(
        isValid,
        "endpoint must be a URL such as http://collector:4317 or https://collector:4317, not '"
            + endpoint
            + "'");
  }

  private static void requireQueue(String name, int size) {
    require(
        size >= 1 && size <= MAX_QUEUED,
        name + " must be between 1 and " + MAX_QUEUED + ", not " + size);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Whether anything is exported. */
  public boolean isEnabled() {
    return !endpoint.isEmpty();
  }

  /** Whether the connection to the collector uses TLS. */
  public boolean isTls() {
    return endpoint.startsWith("https:");
  }

  /** Whether metrics are exported. */
  public boolean exportsMetrics() {
    return isEnabled() && metrics;
  }

  @Override
  public String toString() {
    return "endpoint=" + endpoint + ", serviceName=" + serviceName; // without the headers
  }
}
