package io.fjordmq.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The default name of a node. */
class NodeNameTest {
  @Test
  void shouldUseTheNameOfTheHost() {
    assertThat(NodeName.of("broker-1.example\n", 8899, "id")).isEqualTo("broker-1.example");
    assertThat(NodeName.of("brok er", 8899, "id")).isEqualTo("brok-er");
  }

  @Test
  void shouldTellNodesOnOneHostApart() {
    assertThat(NodeName.of("host", 18_899, "id")).isEqualTo("host-18899");
    assertThat(NodeName.of("h".repeat(80), 18_899, "id")).hasSize(64).endsWith("h-18899");
  }

  @Test
  void shouldUseTheIdIfTheHostHasNoNameOfItsOwn() {
    assertThat(NodeName.of("localhost", 8899, "id")).isEqualTo("id");
    assertThat(NodeName.of(" ", 8899, "id")).isEqualTo("id");
  }
}
