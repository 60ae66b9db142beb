package io.fjordmq.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  private static final int MORE_THAN_ONE_BLOCK = 600;

  @Test
  void shouldNotGiveTwoProcessesTheSamePort() {
    FreePorts one = new FreePorts();
    FreePorts other = new FreePorts(); // begins at the same block, as pids that are far apart may
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < MORE_THAN_ONE_BLOCK / 2; i++) {
      assertThat(ports.add(one.consecutive(1))).isTrue();
      int first = other.consecutive(2);
      assertThat(ports.add(first)).isTrue();
      assertThat(ports.add(first + 1)).isTrue();
    }
  }
}
