package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a member that may not read a message causes no loss, at whichever node it is. */
class SharesAcrossNodesTest {
  private static final Permissions LIMITED =
      new Permissions(List.of(Rule.deny(Access.READ, "private"), Rule.allow(Access.READ, "#")));

  private static final Authenticator BY_NAME =
      attempt ->
          new Authentication.Allow(
                  new Identity(
                      "t",
                      "u",
                      attempt.clientId().startsWith("limited") ? LIMITED : null,
                      Map.of()))
              .now();

  private final TestCluster cluster = new TestCluster(3, TestSecurity.of(BY_NAME));

  @AfterEach
  void close() {
    cluster.close();
  }

  private TestClient connectMember(int node, String clientId) {
    TestClient client = cluster.node(node).connect(clientId).subscribe(1, "$share/g/#", 2);
    client.readAll();
    return client;
  }

  @Test
  void shouldTryTheNextMemberOnAnyNodeWhenOneMayNotRead() {
    TestClient one = connectMember(1, "limited-1");
    TestClient two = connectMember(2, "limited-2");
    TestClient permitted = connectMember(1, "free");
    TestClient publisher = cluster.node(0).connect("p");

    for (int i = 1; i <= 4; i++) {
      publisher.publish(i, 1, "private", "m" + i).expect("PUBACK " + i);
    }

    assertThat(permitted.readAll()).hasSize(4);
    one.expect();
    two.expect();
  }

  @Test
  void shouldCountAMessageThatNoMemberMayReadAndKeepTheSubscriptions() {
    TestClient one = connectMember(1, "limited-1");
    TestClient two = connectMember(2, "limited-2");
    List.of(one, two).forEach(client -> client.subscribe(2, "open", 0).readAll());
    TestClient publisher = cluster.node(0).connect("p");

    publisher.publish(1, 1, "private", "m").expect("PUBACK 1");
    publisher.publish(2, 1, "open", "m").expect("PUBACK 2");

    assertThat(one.readAll()).contains("PUBLISH q0 open m");
    assertThat(two.readAll()).contains("PUBLISH q0 open m");
    assertThat(cluster.node(0).dropped).isEqualTo(Map.of("no_share_member", 1L));
    assertThat(cluster.node(1).dropped).isEmpty();
    assertThat(cluster.node(2).dropped).isEmpty();
  }
}
