package io.fjordmq.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.perf.MoodyBroker.Mood;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whether a broker that has been started serves. */
class BrokerProcessTest {
  private static final Path LOG = Path.of("broker.log");

  private static void ask(InetSocketAddress address, long millis) throws Exception {
    BrokerProcess.firstConnack(address, System.nanoTime(), Duration.ofMillis(millis), LOG);
  }

  @Test
  void shouldNotWaitForeverForASilentBroker() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address =
          new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
      assertThatThrownBy(() -> ask(address, 300))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(LOG.toString());
    }
  }

  @Test
  void shouldPauseAfterARefusal() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (MoodyBroker broker =
        new MoodyBroker(
            client -> {
              asked.incrementAndGet();
              return Mood.REFUSE;
            })) {
      assertThatThrownBy(() -> ask(broker.address(), 300))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("CONNACK 0x03");
    }
    assertThat(asked).hasValueBetween(1, 31); // ten milliseconds between two, at the least
  }
}
