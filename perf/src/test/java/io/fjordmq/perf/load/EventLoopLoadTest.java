package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.check.QosMix;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which samples are counted, and from when. */
class EventLoopLoadTest {
  private static final long SECOND = 1_000_000_000;
  private static final long MINUTE = 60 * SECOND;

  private final DefaultEventLoop loop = new DefaultEventLoop();
  private final EventLoopLoad loopLoad = new EventLoopLoad(loop);
  private final Histogram overall = new Histogram(3);
  private final Histogram counted = new Histogram(3);

  @AfterEach
  void stopLoop() {
    loop.shutdownGracefully();
  }

  @Test
  void shouldCountByDueTimeNotByArrivalTime() {
    long now = System.nanoTime();
    loopLoad.countFrom(now - 5 * MINUTE);
    loopLoad.record(loopLoad.delivery, now - 4 * MINUTE); // counted, however late
    loopLoad.record(loopLoad.delivery, now - 6 * MINUTE); // of the warm-up
    loopLoad.delivery.moveTo(overall, counted);
    assertThat(overall.getTotalCount()).isEqualTo(2);
    assertThat(counted.getTotalCount()).isEqualTo(1);
    assertThat(counted.getMaxValue()).isBetween(240_000_000L, 350_000_000L);
  }

  @Test
  void shouldMeasureLatenessAtTheWriteNotAtTheStartOfTheTick() {
    LoadClient client = new LoadClient("p", true, LoadClient.Receiver.NOTHING);
    EmbeddedChannel channel = new EmbeddedChannel(client);
    channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {0x20, 2, 0, 0}));
    byte[] topic = "t".getBytes(StandardCharsets.UTF_8);
    Publisher publisher =
        new Publisher(0, topic, new Payload(64, 1), 0, new QosMix(0), 4, client, loopLoad);
    long tickNanos = System.nanoTime() - 3 * SECOND;
    Schedule schedule = Schedule.of(tickNanos, 0, 10, 1, 1);
    loopLoad.countFrom(schedule.countedNanos());
    publisher.send(schedule, tickNanos); // a tick that took three seconds to reach this publisher
    loopLoad.lateness.moveTo(overall, counted);
    assertThat(counted.getTotalCount()).isEqualTo(1);
    assertThat(counted.getMaxValue()).isGreaterThanOrEqualTo(2_990_000);
    channel.finishAndReleaseAll();
  }
}
