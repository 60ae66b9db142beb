package io.fjordmq.perf.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.perf.FaultyBroker;
import io.fjordmq.perf.FaultyBroker.ClientHandling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Waiting until a started broker accepts a client. */
class FirstConnackTest {
  private static final Path LOG = Path.of("broker.log");

  /** Time passes only during pauses, 15 seconds in each. */
  private static final class FakeClock implements FirstConnack.Clock {
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
    AtomicInteger connects = new AtomicInteger();
    FakeClock clock = new FakeClock();
    try (FaultyBroker broker =
        new FaultyBroker(
            client -> connects.getAndAdd(1) < 3 ? ClientHandling.REFUSE : ClientHandling.SERVE)) {
      FirstConnack first = new FirstConnack(broker.address(), LOG, clock);
      assertThat(first.await(0, Duration.ofMinutes(1))).isEqualTo(45);
    }
    assertThat(connects).hasValue(4);
    assertThat(clock.count).isEqualTo(3);
  }

  /** The message must show that a broker responded, and with which code. */
  @Test
  void shouldReportAnEarlierRefusalIfTheLastAttemptFailsDifferently() throws Exception {
    AtomicInteger connects = new AtomicInteger();
    try (FaultyBroker broker =
        new FaultyBroker(
            client ->
                connects.getAndAdd(1) == 0
                    ? ClientHandling.REFUSE
                    : ClientHandling.CLOSE_ON_CONNECT)) {
      FirstConnack first = new FirstConnack(broker.address(), LOG, new FakeClock());
      assertThatThrownBy(() -> first.await(0, Duration.ofSeconds(20)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("attempt: connection closed, previously CONNACK 0x03; see " + LOG);
    }
    assertThat(connects).hasValue(2);
  }
}
