package io.fjordmq.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.http.PendingResponses.Group;
import io.fjordmq.broker.http.PendingResponses.Slot;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.Test;

class PendingResponsesTest {
  private static final long MAX_BYTES = 64 << 10;

  private final PendingResponses pending =
      new PendingResponses(
          TestHttpSettings.limits(8, 8, MAX_BYTES, Duration.ofSeconds(10), Duration.ofSeconds(10)),
          HttpObserver.NONE);

  private Slot admit() throws IOException {
    SocketChannelEndPoint client =
        new SocketChannelEndPoint(
            SocketChannel.open(), null, null, new ScheduledExecutorScheduler("test", true));
    return Objects.requireNonNull(pending.admit(client, Group.API));
  }

  @Test
  void shouldRefuseAResponseThatExceedsTheLimitTogetherWithOthers() throws IOException {
    Slot first = admit();
    Slot second = admit();
    assertThat(first.reserve(MAX_BYTES)).isTrue();
    assertThat(second.reserve(1)).isFalse();
    first.release();
    assertThat(second.reserve(1)).isTrue();
  }

  @Test
  void shouldReserveNothingForAClientThatLeftBeforeItsResponseWasReady() throws IOException {
    Slot gone = admit();
    gone.release();
    gone.reserve(MAX_BYTES);
    assertThat(admit().reserve(MAX_BYTES)).isTrue();
    assertThat(admit().reserve(1)).as("the limit still applies").isFalse();
  }
}
