package io.fjordmq.cli.api;

import io.fjordmq.cli.api.ApiFailure.Kind;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A node on this host. While it runs, the file {@code control/api.json} in its data directory
 * contains the URL of its HTTP port and a token:
 *
 * <pre>
 * {"url":"http://127.0.0.1:18083","token":"Zm9vYmFy"}
 * </pre>
 *
 * @param dataDirectory the data directory of the node
 * @param startCommand the command that starts the node, for advice
 */
public record LocalNode(Path dataDirectory, String startCommand) {
  private static final String ELSEWHERE = "to use another node, set -d, or --url with --api-key";

  /**
   * Reads the file.
   *
   * @throws ApiFailure if the node is not running or the user may not read its files
   */
  public ApiAccess access() {
    Path file = dataDirectory.resolve("control").resolve("api.json");
    try {
      JsonNode content = Json.parse(Files.readString(file));
      String url = content.path("url").asString("");
      String token = content.path("token").asString("");
      if (url.isEmpty() || token.isEmpty()) {
        throw invalid(file);
      }
      return new ApiAccess(
          url,
          ApiAccess.bearer(token),
          url.startsWith("https:") ? Trust.thisHost() : null,
          "the node is not running (data directory: %s); start it with: %s"
              .formatted(dataDirectory, startCommand),
          "the node with data directory %s may have stopped, or restarted just now"
              .formatted(dataDirectory));
    } catch (NoSuchFileException e) {
      throw notRunning(e);
    } catch (AccessDeniedException e) {
      ApiFailure failure =
          new ApiFailure(
              Kind.REJECTED,
              "user %s cannot read %s; run this command as the user that runs the node, or set --url and --api-key"
                  .formatted(System.getProperty("user.name"), file));
      failure.initCause(e);
      throw failure;
    } catch (JacksonException e) {
      throw invalid(file);
    } catch (IOException e) {
      throw new ApiFailure(Kind.REJECTED, "cannot read " + file + ": " + e.getMessage());
    }
  }

  private ApiFailure notRunning(IOException cause) {
    return ApiFailure.unreachable(
        "the node is not running or not ready yet (data directory: %s); %s. Start it with: %s"
            .formatted(dataDirectory, ELSEWHERE, startCommand),
        cause);
  }

  private static ApiFailure invalid(Path file) {
    return new ApiFailure(
        Kind.REJECTED, "invalid file " + file + ": expected url and token; restart the node");
  }
}
