package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Nodes by id or name. */
class NodeLookupTest {
  @Test
  void shouldFindANodeByItsIdOrName() {
    NodeLookup nodes = NodeLookups.of("n1", "n2");
    assertThat(nodes.id("n2")).isEqualTo("n2");
    assertThat(nodes.id("host-n2")).isEqualTo("n2");
  }

  @Test
  void shouldSayWhyANodeIsNotFound() {
    NodeLookup nodes = NodeLookups.named(Map.of("n1", "host", "n2", "host"));
    assertThatThrownBy(() -> nodes.id("n3"))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.code()).isEqualTo(ErrorCode.NOT_FOUND))
        .hasMessage("node 'n3' does not exist; the nodes are n1 (host), n2 (host)");
    assertThatThrownBy(() -> nodes.id("host"))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("use one of the ids");
  }
}
