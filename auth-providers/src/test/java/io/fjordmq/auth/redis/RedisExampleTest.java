package io.fjordmq.auth.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.auth.examples.ExampleNode;
import io.fjordmq.auth.examples.MqttProbe;
import io.fjordmq.testing.DocumentedSection;
import io.fjordmq.testing.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands and the configuration in docs/AUTHENTICATION.md work as they are. */
@Tag("slow")
class RedisExampleTest {
  private static final String ADDRESS = "127.0.0.1:6379";
  private static final String PROGRAM = "redis-cli ";

  @TempDir Path folder;

  @Test
  void shouldRunTheExample() throws Exception {
    assumeTrue(RedisServer.isInstalled(), "redis-server is not installed; bin/test.sh installs it");
    DocumentedSection section = DocumentedSection.of("AUTHENTICATION.md", "redis");
    try (RedisServer redis = RedisServer.start(folder)) {
      for (String command : section.example("", 0).lines().toList()) {
        assertThat(command).startsWith(PROGRAM);
        redis.run(command.substring(PROGRAM.length()).split(" "));
      }
      String yaml = section.example("yaml", 0);
      assertThat(yaml).contains("servers: " + ADDRESS);
      try (ExampleNode node = ExampleNode.start(folder, yaml.replace(ADDRESS, redis.address()))) {
        node.refuses("alice", "wrong");
        node.refuses("bob", "xxx");
        node.refuses(null, null);
        try (MqttProbe alice = node.login("c1", "alice", "xxx")) {
          assertThat(alice.mayPublish("site/1")).isTrue();
          assertThat(alice.maySubscribe("site/1")).isTrue();
          assertThat(alice.mayPublish("site/2")).isFalse();
          assertThat(alice.maySubscribe("devices/c1/#")).isTrue();
          assertThat(alice.maySubscribe("devices/c2/#")).isFalse();
          assertThat(alice.mayPublish("devices/c1/1")).isFalse();
        }
      }
    }
  }
}
