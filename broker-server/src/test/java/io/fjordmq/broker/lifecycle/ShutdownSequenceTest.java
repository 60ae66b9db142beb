package io.fjordmq.broker.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ShutdownSequenceTest {
  private final List<String> closed = Collections.synchronizedList(new ArrayList<>());

  @Test
  void shouldCloseInReverseOrderAndContinueAfterAFailure() {
    ShutdownSequence shutdownSequence = new ShutdownSequence();
    shutdownSequence.add("a", () -> closed.add("a"));
    shutdownSequence.add(
        "b",
        () -> {
          throw new IllegalStateException("failed to close");
        });
    shutdownSequence.add(
        "c",
        () -> {
          throw new StackOverflowError();
        });
    shutdownSequence.addSlow("d", Duration.ofMillis(1), () -> closed.add("d"));
    shutdownSequence.close();
    assertThat(closed).containsExactly("d", "a");
    assertThat(shutdownSequence.unclosedComponents()).isEmpty();
  }

  @Test
  @Timeout(60)
  void shouldFinishAlthoughTheHolderOfALockNeverReturns() throws InterruptedException {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    Thread dead = new Thread(lock.readLock()::lock);
    dead.start();
    dead.join();
    ShutdownSequence shutdownSequence = new ShutdownSequence(Duration.ofMillis(50));
    shutdownSequence.add("disk", () -> closed.add("disk"));
    shutdownSequence.add("node", new HangingComposite(lock));
    shutdownSequence.add("clients", () -> closed.add("clients"));
    shutdownSequence.close();
    assertThat(closed).containsExactly("clients", "disk");
    assertThat(shutdownSequence.unclosedComponents()).containsExactly("stores");
  }

  /** A node whose stores wait for the lock; it has components of its own. */
  private static final class HangingComposite implements ShutdownSequence.Composite {
    private final ShutdownSequence components = new ShutdownSequence(Duration.ofMillis(50));

    HangingComposite(ReentrantReadWriteLock lock) {
      components.add("stores", lock.writeLock()::lock);
    }

    @Override
    public List<String> unclosedComponents() {
      return components.unclosedComponents();
    }

    @Override
    public void close() {
      components.close();
    }
  }

  @Test
  @Timeout(60)
  void shouldNotStopEarlyOnAnInterrupt() {
    ShutdownSequence shutdownSequence = new ShutdownSequence();
    CountDownLatch started = new CountDownLatch(1);
    shutdownSequence.add(
        "slow",
        () -> {
          started.countDown();
          closed.add("slow");
        });
    Thread.currentThread().interrupt();
    shutdownSequence.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(started.getCount()).isZero();
    assertThat(closed).containsExactly("slow");
  }
}
