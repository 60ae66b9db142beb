package io.fjordmq.perf.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.perf.MoodyBroker;
import io.fjordmq.perf.MoodyBroker.Mood;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whether a broker that has been started serves. */
class FirstConnackTest {
  private static final Path LOG = Path.of("broker.log");

  /** Passes only in pauses, a quarter of a minute in each. */
  private static final class Pauses implements FirstConnack.Clock {
    private int count;

    @Override
    public long nanos() {
      return TimeUnit.SECONDS.toNanos(15L * count);
    }

    @Override
    public void pause(int millis) {
      assertThat(millis).isPositive();
      count++;
    }
  }

  @Test
  void shouldNotWaitForeverForASilentBroker() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address =
          new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
      FirstConnack first = new FirstConnack(address, LOG);
      assertThatThrownBy(() -> first.await(System.nanoTime(), Duration.ofMillis(300)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(LOG.toString());
    }
  }

  @Test
  void shouldPauseAfterARefusal() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    Pauses pauses = new Pauses();
    try (MoodyBroker broker =
        new MoodyBroker(client -> asked.getAndAdd(1) < 3 ? Mood.REFUSE : Mood.SERVE)) {
      FirstConnack first = new FirstConnack(broker.address(), LOG, pauses);
      assertThat(first.await(0, Duration.ofMinutes(1))).isEqualTo(45);
    }
    assertThat(asked).hasValue(4);
    assertThat(pauses.count).isEqualTo(3);
  }

  /** Whoever reads it must learn that there was a broker, and what it said. */
  @Test
  void shouldNameTheRefusalAlsoIfItEndsOtherwise() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (MoodyBroker broker =
        new MoodyBroker(client -> asked.getAndAdd(1) == 0 ? Mood.REFUSE : Mood.IGNORE)) {
      FirstConnack first = new FirstConnack(broker.address(), LOG, new Pauses());
      assertThatThrownBy(() -> first.await(0, Duration.ofSeconds(20)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("attempt: connection closed, previously CONNACK 0x03; see " + LOG);
    }
    assertThat(asked).hasValue(2);
  }
}
