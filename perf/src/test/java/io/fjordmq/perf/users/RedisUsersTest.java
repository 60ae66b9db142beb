package io.fjordmq.perf.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.perf.machine.ServiceUsage;
import io.fjordmq.testing.RedisServer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The keys of users in Redis, and a server that is killed and restarted. */
class RedisUsersTest {
  private static final UserAccount BOTH =
      new UserAccount("p0", List.of("perf/+/0", "shared"), List.of("perf/+/1", "shared"));

  @Test
  void shouldUseTheKeysOfEmqx4() {
    assertThat(RedisUsers.commands(BOTH))
        .containsExactly(
            List.of(
                "HSET",
                "mqtt_user:p0",
                "password",
                // printf 'salt of p0secret of p0' | sha256sum
                "2bb2d5a24c8115c6b915ec8a0d66dda84f911bc0c9b18c93433a883e93415d77",
                "salt",
                "salt of p0"),
            List.of("HSET", "mqtt_acl:p0", "perf/+/0", "2", "shared", "3", "perf/+/1", "1"));
    assertThat(RedisUsers.commands(new UserAccount("i0", List.of(), List.of()))).hasSize(1);
  }

  @Test
  void shouldKeepUsersWhenTheServerIsKilled() throws Exception {
    assumeTrue(RedisServer.isInstalled(), "redis-server is not installed");
    try (ServerUsers users = ServerUsers.start(RedisUsers::start, List.of(BOTH))) {
      assertThat(calls(users)).isZero();
      String server = serverOf(users);
      assertThat(rules(server)).contains("perf/+/0");
      assertThat(calls(users)).isEqualTo(1);
      assertThat(users.usage().orElseThrow().cpuMicros()).isPresent();
      users.kill();
      assertThat(users.usage()).isEmpty();
      users.restart();
      assertThat(serverOf(users)).isEqualTo(server);
      assertThat(rules(server)).contains("perf/+/0");
    }
  }

  private static long calls(ServerUsers users) {
    Optional<ServiceUsage> usage = users.usage();
    return usage.orElseThrow().calls();
  }

  private static String serverOf(ServerUsers users) {
    return FirstProvider.setting(users, "authentication", "servers");
  }

  private static String rules(String server) throws Exception {
    String port = server.substring(server.indexOf(':') + 1);
    return RedisServer.cli(List.of("/usr/bin/redis-cli", "-p", port, "HGETALL", "mqtt_acl:p0"));
  }
}
