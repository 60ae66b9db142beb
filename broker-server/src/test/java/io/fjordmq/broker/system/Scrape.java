package io.fjordmq.broker.system;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * A page of {@code /metrics} in Prometheus' text format: what stands before the last blank of a
 * line, name and labels, is the key.
 */
record Scrape(Map<String, Double> samples) {
  private static final int TIMEOUT_MILLIS = 20_000;

  /** A response over HTTP. */
  record Response(int status, String body) {}

  static Scrape of(int httpPort) {
    Response response = get(httpPort, "/metrics");
    if (response.status() != 200) {
      throw new AssertionError("/metrics answered " + response);
    }
    Map<String, Double> samples = new HashMap<>();
    for (String line : response.body().lines().toList()) {
      if (!line.startsWith("#")) {
        int blank = line.lastIndexOf(' ');
        samples.put(line.substring(0, blank), Double.valueOf(line.substring(blank + 1)));
      }
    }
    return new Scrape(Map.copyOf(samples));
  }

  static Response get(int httpPort, String path) {
    try {
      URI uri = URI.create("http://127.0.0.1:" + httpPort + path);
      HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      connection.setRequestProperty("Connection", "close");
      int status = connection.getResponseCode();
      try (InputStream body =
          status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
        return new Response(status, new String(body.readAllBytes(), StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The sample of that name and, in Prometheus' notation, these labels.
   *
   * @throws AssertionError if there is none
   */
  double value(String key) {
    Double value = samples.get(key);
    if (value == null) {
      throw new AssertionError("no metric " + key + " among " + samples.keySet());
    }
    return value;
  }

  /** Of all samples of that name, whatever their labels. */
  double sum(String name) {
    return samples.entrySet().stream()
        .filter(sample -> sample.getKey().equals(name) || sample.getKey().startsWith(name + "{"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}
