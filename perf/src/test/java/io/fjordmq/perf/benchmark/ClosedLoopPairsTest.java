package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.FaultyBroker;
import io.fjordmq.perf.FaultyBroker.ClientHandling;
import io.fjordmq.perf.load.ResultMetric;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ClosedLoopPairsTest {
  private static final long SELF = ProcessHandle.current().pid();
  private static final int PAYLOAD_BYTES = 32;

  /** Longer than the interval at which the pairs look for messages in flight. */
  private static final int STALL_MILLIS = 300;

  @Test
  void shouldCountAllMessages() throws Exception {
    try (FaultyBroker broker = new FaultyBroker(client -> ClientHandling.SERVE);
        ClientLoops loops = new ClientLoops(broker.address(), 2);
        ClosedLoopPairs load =
            ClosedLoopPairs.start(loops, SELF, List.of("s0", "s1"), PAYLOAD_BYTES)) {
      Measurement measurement = load.measure(1);
      assertThat(measurement.figures().get(ResultMetric.THROUGHPUT)).isPositive();
      assertThat(measurement.result("pairs").faults()).isEmpty();
    }
  }

  /** Otherwise they would arrive in the next round, which resumes the subscriber's session. */
  @Test
  void shouldWaitForMessagesThatADelayedEventLoopHasNotWritten() throws Exception {
    try (FaultyBroker broker = new FaultyBroker(client -> ClientHandling.SERVE);
        ClientLoops loops = new ClientLoops(broker.address(), 2);
        ClosedLoopPairs load = ClosedLoopPairs.connect(loops, SELF, List.of("s0"), PAYLOAD_BYTES)) {
      EventLoop ofPublisher = loops.next(); // the pair uses one loop each, the publisher the first
      CountDownLatch never = new CountDownLatch(1);
      CountDownLatch stalled = new CountDownLatch(1);
      AtomicBoolean resumed = new AtomicBoolean();
      ofPublisher.execute(
          () -> {
            stalled.countDown();
            try {
              resumed.set(!never.await(STALL_MILLIS, TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      stalled.await();
      load.begin();
      Measurement measurement = load.measure(0);
      assertThat(resumed).isTrue();
      assertThat(measurement.result("pairs").faults()).isEmpty();
    }
  }
}
