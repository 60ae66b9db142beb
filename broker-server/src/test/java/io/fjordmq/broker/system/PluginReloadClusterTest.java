package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import io.fjordmq.broker.security.PluginJar;
import io.fjordmq.broker.system.ApiClient.Response;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All nodes use the new version of a plugin, and clients stay connected. */
@Tag("slow")
class PluginReloadClusterTest {
  private static final int NODES = 3;
  private static final String SOURCE =
      """
      package com.example;

      import io.fjordmq.api.plugin.*;
      import java.util.concurrent.CompletionStage;

      public final class OneUser implements Authenticator {
        @Override
        public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
          return "USER".equals(attempt.userName())
              ? Authentication.allow(attempt.userName()).now()
              : Authentication.deny("another user").now();
        }
      }
      """;

  private static void install(Path folder, String user) throws IOException {
    PluginJar.create(
        folder.resolve("new"),
        "one-user",
        "Authenticator=com.example.OneUser",
        SOURCE.replace("USER", user));
    Files.createDirectories(folder.resolve("plugins"));
    Files.move(
        folder.resolve("new/one-user.jar"),
        folder.resolve("plugins/one-user.jar"),
        StandardCopyOption.REPLACE_EXISTING);
  }

  private static Mqtt5Session connect(ClusterUnderTest cluster, int node, String user) {
    Mqtt5Session session = new Mqtt5Session(cluster.node(node).mqtt(), user + "-" + node);
    session.connect(
        options ->
            options
                .simpleAuth()
                .username(user)
                .password("x".getBytes(StandardCharsets.UTF_8))
                .applySimpleAuth());
    return session;
  }

  @Test
  void shouldReloadOnAllNodes(@TempDir Path folder) throws IOException {
    install(folder, "ann");
    String settings = "securityConfig:\n  pluginDir: " + folder.resolve("plugins") + "\n";
    try (ClusterUnderTest cluster =
        ClusterUnderTest.startIn(folder.resolve("nodes"), NODES, settings)) {
      for (BrokerUnderTest node : cluster.nodes()) {
        Await.until(
            "the node is ready",
            60,
            () ->
                Files.exists(ApiClient.file(node.nodeDirectory()))
                    && Scrape.get(node.httpPort(), "/readyz").status() == 200);
      }
      ApiClient api = ApiClient.of(cluster.node(1).nodeDirectory());
      try (Mqtt5Session ann = connect(cluster, 3, "ann")) {
        install(folder, "bob");
        Response reloaded = api.send("POST", "/plugins/one-user/reload", "");
        assertThat(reloaded.status()).as(String.valueOf(reloaded.body())).isEqualTo(200);
        for (int node = 1; node <= NODES; node++) {
          int number = node;
          connect(cluster, node, "bob").close();
          assertThatThrownBy(() -> connect(cluster, number, "ann"))
              .rootCause()
              .isInstanceOf(Mqtt5ConnAckException.class);
        }
        assertThat(ann.client().getState().isConnected()).as("the client stays connected").isTrue();
      }
      Files.writeString(folder.resolve("plugins/one-user.jar"), "not a jar");
      Response refused = api.send("POST", "/plugins/one-user/reload", "");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.body().get("message").asString())
          .startsWith("plugin one-user was not reloaded on node ")
          .contains("is not a jar file");
      connect(cluster, 2, "bob").close();
      assertThat(api.send("POST", "/plugins/none/reload", "").status()).isEqualTo(404);
    }
  }
}
