package io.fjordmq.broker.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of the REST API on the host of a node, as tools on that host are. */
final class ApiClient {
  private static final Pattern FILE = Pattern.compile("\\{\"url\":\"(.*)\",\"token\":\"(.*)\"}\n");
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final HttpClient http = HttpClient.newHttpClient();
  private final JsonMapper json = JsonMapper.shared();
  private final String url;
  private final String token;

  private ApiClient(String url, String token) {
    this.url = url;
    this.token = token;
  }

  /** A response, whose body is null if it is empty. */
  record Response(int status, JsonNode body) {}

  /** The file in which a node names its URL and token. */
  static Path file(Path nodeDirectory) {
    return nodeDirectory.resolve("data/control/api.json");
  }

  /** A client of the node that runs in this directory. */
  static ApiClient of(Path nodeDirectory) {
    try {
      String text = Files.readString(file(nodeDirectory));
      Matcher found = FILE.matcher(text);
      if (!found.matches()) {
        throw new AssertionError("unexpected content: " + text);
      }
      return new ApiClient(found.group(1), found.group(2));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Response get(String path) {
    return send("GET", path, "");
  }

  /**
   * Sends a request.
   *
   * @param path below {@code /api/v5}
   * @param body JSON; empty for none
   */
  Response send(String method, String path, String body) {
    HttpResponse<String> response = exchange(method, path, body);
    return new Response(response.statusCode(), json.readTree(response.body()));
  }

  /** Returns the body of a successful response that is not JSON. */
  String text(String path) {
    HttpResponse<String> response = exchange("GET", path, "");
    if (response.statusCode() != 200
        || !response.headers().firstValue("Content-Type").orElse("").startsWith("text/plain")) {
      throw new AssertionError(response + ": " + response.body());
    }
    return response.body();
  }

  private HttpResponse<String> exchange(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/api/v5" + path))
            .timeout(TIMEOUT)
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
