package io.fjordmq.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class UseGateTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final UseGate gate = new UseGate();

  @Test
  @Timeout(60)
  void shouldWaitForThreadsInsideAndAdmitNoOthers() throws InterruptedException {
    assertThat(gate.enter()).isTrue();
    CountDownLatch empty = new CountDownLatch(1);
    Thread closing =
        new Thread(
            () -> {
              if (gate.shut(LONG)) {
                empty.countDown();
              }
            });
    closing.start();
    while (!gate.isShut()) {
      Thread.onSpinWait();
    }
    assertThat(gate.enter()).isFalse();
    assertThat(empty.getCount()).isEqualTo(1);
    gate.leave();
    closing.join();
    assertThat(empty.getCount()).isZero();
    assertThat(gate.threadsInside()).isZero();
  }

  @Test
  void shouldNotWaitForeverForAThreadThatDiedInside() throws InterruptedException {
    Thread dead = new Thread(gate::enter);
    dead.start();
    dead.join();
    assertThat(gate.shut(Duration.ofMillis(20))).isFalse();
    assertThat(gate.threadsInside()).isEqualTo(1);
  }

  private int recurse(int depth) {
    if (!gate.enter()) {
      return depth;
    }
    try {
      return recurse(depth + 1) + 1;
    } finally {
      gate.leave();
    }
  }

  /** A {@code finally} block also needs stack space: without any, the gate is never left. */
  @Test
  void shouldShutAfterStackOverflows() {
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(() -> recurse(0)).isInstanceOf(StackOverflowError.class);
    }
    boolean empty = gate.shut(Duration.ofMillis(20));
    assertThat(empty).isEqualTo(gate.threadsInside() == 0);
    assertThat(gate.enter()).isFalse();
  }
}
