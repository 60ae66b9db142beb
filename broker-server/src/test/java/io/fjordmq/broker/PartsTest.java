package io.fjordmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PartsTest {
  private final List<String> closed = Collections.synchronizedList(new ArrayList<>());

  @Test
  void shouldCloseInReverseAndGoOnAfterAFailure() {
    Parts parts = new Parts();
    parts.add("a", () -> closed.add("a"));
    parts.add(
        "b",
        () -> {
          throw new IllegalStateException("defect");
        });
    parts.add(
        "c",
        () -> {
          throw new StackOverflowError();
        });
    parts.addSlow("d", Duration.ofMillis(1), () -> closed.add("d"));
    parts.close();
    assertThat(closed).containsExactly("d", "a");
    assertThat(parts.hung()).isEmpty();
  }

  @Test
  @Timeout(60)
  void shouldEndThoughTheHolderOfALockNeverReturns() throws InterruptedException {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    Thread dead = new Thread(lock.readLock()::lock);
    dead.start();
    dead.join();
    Parts parts = new Parts(Duration.ofMillis(50));
    parts.add("disk", () -> closed.add("disk"));
    parts.add("node", new Hanging(lock));
    parts.add("clients", () -> closed.add("clients"));
    parts.close();
    assertThat(closed).containsExactly("clients", "disk");
    assertThat(parts.hung()).containsExactly("stores");
  }

  /** A node whose stores wait for the lock; it has parts of its own. */
  private static final class Hanging implements Parts.Whole {
    private final Parts own = new Parts(Duration.ofMillis(50));

    Hanging(ReentrantReadWriteLock lock) {
      own.add("stores", lock.writeLock()::lock);
    }

    @Override
    public List<String> hung() {
      return own.hung();
    }

    @Override
    public void close() {
      own.close();
    }
  }

  @Test
  @Timeout(60)
  void shouldNotBeCutShortByAnInterrupt() {
    Parts parts = new Parts();
    CountDownLatch begun = new CountDownLatch(1);
    parts.add(
        "slow",
        () -> {
          begun.countDown();
          closed.add("slow");
        });
    Thread.currentThread().interrupt();
    parts.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(begun.getCount()).isZero();
    assertThat(closed).containsExactly("slow");
  }
}
