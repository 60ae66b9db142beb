package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decisions about many topics, for a few rules and for so many that decisions are cached. */
class ClientAccessTest {
  private static final int TOPICS = 200; // more than are cached

  private static ClientAccess access(Security security) throws Exception {
    ConnectAttempt attempt =
        new ConnectAttempt("tcpListener", null, false, null, 5, "c", "u", new byte[0]);
    return security.accessOf((Admitted) security.admit(attempt).get());
  }

  private static Permissions permissions(int rules) {
    List<Permissions.Rule> all = new ArrayList<>();
    all.add(rule(false, Access.WRITE, "a/+/private"));
    all.add(
        new Permissions.Rule(
            true, Access.WRITE, TopicFilter.parse("a/#"), Set.of(Qos.AT_LEAST_ONCE), true));
    all.add(rule(true, Access.READ, "b/#"));
    while (all.size() < rules) {
      all.add(rule(true, Access.READ_WRITE, "unused/" + all.size()));
    }
    return new Permissions(all);
  }

  private static Permissions.Rule rule(boolean allow, Access access, String filter) {
    return new Permissions.Rule(allow, access, TopicFilter.parse(filter));
  }

  private static boolean mayPublish(ClientAccess access, String topic, Qos qos, boolean retain) {
    return Objects.requireNonNull(access.mayPublish(new Topic(topic), qos, retain, 0)).allowed();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 30})
  void shouldDecideAlike(int rules) throws Exception {
    Identity identity = new Identity("", "u", permissions(rules), Map.of());
    Authenticator allow = attempt -> new Authentication.Allow(identity).now();
    try (Security security = TestSecurity.of(allow)) {
      ClientAccess access = access(security);
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < TOPICS; i++) {
          for (int repeat = 0; repeat < 2; repeat++) {
            String topic = "a/" + i;
            assertThat(mayPublish(access, topic, Qos.AT_LEAST_ONCE, true)).isTrue();
            assertThat(mayPublish(access, topic, Qos.AT_LEAST_ONCE, false)).isFalse();
            assertThat(mayPublish(access, topic, Qos.AT_MOST_ONCE, true)).isFalse();
            assertThat(mayPublish(access, topic + "/private", Qos.AT_LEAST_ONCE, true)).isFalse();
            assertThat(access.mayReceive(new Topic("b/" + i))).isTrue();
            assertThat(access.mayReceive(new Topic(topic))).isFalse();
          }
        }
      }
    }
  }
}
