package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditTargetTest {
  @Test
  void shouldNameABoundedNumberOfUsers() {
    assertThat(AuditTarget.names(List.of("a", "b"))).isEqualTo("a, b");
    assertThat(AuditTarget.names(Collections.nCopies(500, "a"))).endsWith("a, a and 490 others");
  }

  @Test
  void shouldNameTheTenant() {
    assertThat(AuditTarget.ofTenant("a", "t")).isEqualTo("a of tenant t");
    assertThat(AuditTarget.ofTenant("a", null) + AuditTarget.ofTenant("b", "")).isEqualTo("ab");
  }
}
