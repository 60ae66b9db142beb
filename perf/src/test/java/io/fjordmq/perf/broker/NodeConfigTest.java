package io.fjordmq.perf.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.scenario.YamlRecords;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How sections are merged into a configuration. */
class NodeConfigTest {
  @Test
  void shouldMergeMapsAndTheElementsOfLists() {
    String text =
        new NodeConfig()
            .with("securityConfig: {authentication: [{type: redis, timeout: 5 s}]}")
            .with("securityConfig: {authentication: [{cacheTime: 1 h}, {type: jwt}], x: [1]}")
            .with("securityConfig: {authentication: [{timeout: 1 s}], x: [2]}")
            .text();
    assertThat(YamlRecords.parse(text))
        .containsEntry(
            "securityConfig",
            Map.of(
                "authentication",
                List.of(
                    Map.of("type", "redis", "timeout", "1 s", "cacheTime", "1 h"),
                    Map.of("type", "jwt")),
                "x",
                List.of(2)));
  }
}
