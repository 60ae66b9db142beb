package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.limits.ClientIdBinding;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.testing.RecordBuilder;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queries about the users of sessions. */
class SessionUserQueriesTest {
  private static final Authenticator BY_NAME =
      attempt ->
          new Authentication.Allow(new Identity("t", attempt.userName(), null, Map.of())).now();

  private final TestCluster cluster =
      new TestCluster(3, TestSecurity.of(BY_NAME), ClientIdBinding.NONE);
  private final QueryFixture nodes = new QueryFixture(cluster);

  @AfterEach
  void close() {
    nodes.close();
  }

  private List<String> ids(ClientFilter filter) {
    ClientPage page =
        nodes.settled(nodes.queries(1).clients().list(filter, Optional.empty(), 0, 1_000)).join();
    return page.clients().stream().map(row -> row.id().clientId()).toList();
  }

  private ClientRow find(String clientId) {
    return nodes.settled(nodes.queries(2).clients().find("t", clientId)).join().clients().get(0);
  }

  private static ClientFilter with(String component, Object value) {
    return RecordBuilder.from(ClientFilter.ALL).with(component, value).build();
  }

  /** A persistent session; user is null for a client without a user name. */
  private TestClient connectAs(int node, String clientId, @Nullable String user) {
    TestClient client =
        cluster
            .node(node)
            .open()
            .connect(
                to -> {
                  to.protocolVersion(MqttVersion.MQTT_3_1_1).clientId(clientId).cleanSession(false);
                  if (user != null) {
                    to.hasUser(true)
                        .username(user)
                        .hasPassword(true)
                        .password("x".getBytes(StandardCharsets.UTF_8));
                  }
                });
    client.readAll();
    return client;
  }

  @Test
  void shouldFindOfflineSessionsByTheUserNameThatTheirClientsUse() {
    connectAs(0, "ann-online", "ann");
    connectAs(0, "ann-offline", "ann").disconnect();
    connectAs(1, "bob-offline", "bob").disconnect();
    connectAs(2, "u-offline", "u:").disconnect();
    connectAs(2, "nobody-offline", null).disconnect();
    assertThat(ids(with("userName", "ann"))).containsExactlyInAnyOrder("ann-online", "ann-offline");
    assertThat(ids(with("userName", "u:bob"))).isEmpty();
    assertThat(ids(with("userName", ""))).isEmpty();
    assertThat(ids(with("userNamePart", "o"))).containsExactly("bob-offline");
    assertThat(ids(with("userNamePart", "u:"))).containsExactly("u-offline");
    ClientRow offline = find("ann-offline");
    assertThat(Objects.requireNonNull(offline.session()).userName()).isEqualTo("ann");
    assertThat(with("userName", "ann").matches(offline)).isTrue();
    assertThat(with("userNamePart", "u:").matches(offline)).isFalse();
    ClientRow nobody = find("nobody-offline");
    assertThat(Objects.requireNonNull(nobody.session()).userName()).isNull();
  }
}
