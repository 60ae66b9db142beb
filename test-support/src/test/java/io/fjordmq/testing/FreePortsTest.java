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
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < MORE_THAN_ONE_BLOCK / 2; i++) {
      assertThat(given.add(one.inARow(1))).isTrue();
      int first = other.inARow(2);
      assertThat(given.add(first)).isTrue();
      assertThat(given.add(first + 1)).isTrue();
    }
  }
}
