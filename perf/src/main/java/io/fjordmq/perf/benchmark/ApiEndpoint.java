package io.fjordmq.perf.benchmark;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The REST API of a node that this tool has started.
 *
 * @param host host name or address of the HTTP port, which must not use TLS
 * @param port TCP port
 * @param token grants access to the API until the node stops
 */
record ApiEndpoint(String host, int port, String token) {
  /** Path of the file, relative to the directory of a broker with one node. */
  private static final Path FILE = Path.of("node1", "data", "control", "api.json");

  private static final String SCHEME = "http";

  /**
   * Reads the URL and the token from the control directory of a node.
   *
   * @param directory directory for the data of a broker with one node
   * @throws IOException if the node is not running
   */
  static ApiEndpoint of(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    try {
      JsonNode content = new JsonMapper().readTree(Files.readString(file));
      URI url = URI.create(content.path("url").asString(""));
      String token = content.path("token").asString("");
      if (SCHEME.equals(url.getScheme()) && url.getPort() > 0 && !token.isEmpty()) {
        return new ApiEndpoint(url.getHost(), url.getPort(), token);
      }
    } catch (JacksonException | IllegalArgumentException e) {
      throw new IOException("invalid file " + file + ": " + e.getMessage(), e);
    }
    throw new IOException("invalid file " + file + ": expected an http URL with port and a token");
  }
}
