package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Accounts of the REST API on one node and on three. */
@Tag("slow")
class AccountsTest {
  private static final long SECONDS = 60;
  private static final String FIRST =
      """
      apiConfig:
        firstAdministrator:
          username: root
          passwordFile: %s
      """;

  private final HttpClient http = HttpClient.newHttpClient();
  private final JsonMapper mapper = JsonMapper.builder().build();

  @TempDir Path directory;

  private HttpResponse<String> call(
      BrokerUnderTest node, String authorization, String method, String path, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.httpPort() + "/api/v5" + path))
            .timeout(Duration.ofSeconds(SECONDS))
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private JsonNode succeed(
      BrokerUnderTest node, String authorization, String method, String path, String body) {
    HttpResponse<String> response = call(node, authorization, method, path, body);
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    return mapper.readTree(response.body().isEmpty() ? "{}" : response.body());
  }

  private int status(BrokerUnderTest node, String authorization) {
    return call(node, authorization, "GET", "/users", "").statusCode();
  }

  /** Waits until the node accepts or refuses these credentials. */
  private void await(BrokerUnderTest node, String authorization, int status) {
    Await.until(
        "status " + status + " of node " + node.httpPort(),
        SECONDS,
        () -> status(node, authorization) == status);
  }

  /** Waits until the node has applied the creation of a user. */
  private void awaitUser(BrokerUnderTest node, String name) {
    Await.until(
        "user " + name + " on node " + node.httpPort(),
        SECONDS,
        () -> call(node, localToken(node), "GET", "/users", "").body().contains(name));
  }

  private String login(BrokerUnderTest node, String name, String password) {
    String body = "{'username':'%s','password':'%s'}".formatted(name, password);
    return "Bearer " + succeed(node, "", "POST", "/login", body).get("token").asString();
  }

  private String localToken(BrokerUnderTest node) {
    try {
      String file = Files.readString(node.nodeDirectory().resolve("data/control/api.json"));
      return "Bearer " + mapper.readTree(file).get("token").asString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String basic(JsonNode key) {
    String pair = key.get("api_key").asString() + ":" + key.get("api_secret").asString();
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldKeepAccountsAcrossARestart() {
    try (BrokerUnderTest node = BrokerUnderTest.startIn(directory)) {
      assertThat(status(node, "")).isEqualTo(401);
      String local = localToken(node);
      String body = "{'username':'ann','password':'correct horse'}";
      succeed(node, local, "POST", "/users", body);
      String key = basic(succeed(node, local, "POST", "/api_key", "{'name':'ci'}"));
      String ann = login(node, "ann", "correct horse");
      assertThat(node.stop()).isZero();
      node.restart();
      assertThat(status(node, ann)).isEqualTo(200);
      assertThat(status(node, key)).isEqualTo(200);
      assertThat(status(node, local)).as("a local token of the stopped process").isEqualTo(401);
      assertThat(status(node, localToken(node))).isEqualTo(200);
      assertThat(node.output())
          .contains("API change made operation=createUser status=200 caller=local kind=LOCAL")
          .doesNotContain("correct horse");
      assertThat(node.scrape().value("fjordmq_api_logins_total{result=\"accepted\"}")).isPositive();
    }
  }

  @Test
  void shouldUseAccountsOnEveryNode() throws IOException {
    Path password = directory.resolve("password");
    Files.writeString(password, "first password\n");
    String more = FIRST.formatted(password);
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 3, more)) {
      Await.until(
          "the first administrator",
          SECONDS,
          () -> cluster.output().contains("First administrator created from apiConfig"));
      for (BrokerUnderTest node : cluster.nodes()) {
        awaitUser(node, "root");
      }
      BrokerUnderTest one = cluster.node(1);
      await(cluster.node(3), login(cluster.node(3), "root", "first password"), 200);

      String root = login(one, "root", "first password");
      String body = "{'username':'ann','password':'correct horse','role':'administrator'}";
      await(cluster.node(2), root, 200);
      succeed(cluster.node(2), root, "POST", "/users", body);
      await(cluster.node(3), root, 200);
      assertThat(call(cluster.node(3), root, "POST", "/users", body).statusCode()).isEqualTo(409);
      String ann = login(cluster.node(2), "ann", "correct horse");
      await(cluster.node(3), ann, 200);
      JsonNode created = succeed(cluster.node(3), ann, "POST", "/api_key", "{'name':'ci'}");
      String key = basic(created);
      for (BrokerUnderTest node : cluster.nodes()) {
        await(node, ann, 200);
        await(node, key, 200);
      }

      succeed(one, root, "DELETE", "/api_key/ci", "");
      assertThat(status(one, key)).isEqualTo(401);
      String changed = "{'old_pwd':'correct horse','new_pwd':'another horse'}";
      succeed(cluster.node(3), ann, "POST", "/users/ann/change_pwd", changed);
      assertThat(status(cluster.node(3), ann)).isEqualTo(401);
      for (BrokerUnderTest node : cluster.nodes()) {
        await(node, key, 401);
        await(node, ann, 401);
      }

      one.kill();
      Await.until(
          "a change without the first node",
          SECONDS,
          // 404: an earlier attempt was not confirmed, but has taken effect.
          () ->
              List.of(204, 404)
                  .contains(call(cluster.node(2), root, "DELETE", "/users/ann", "").statusCode()));
      await(cluster.node(3), root, 200);
      assertThat(succeed(cluster.node(2), root, "GET", "/users", "").size()).isEqualTo(1);
    }
  }
}
