package io.fjordmq.cluster.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.JRaftUtils;
import com.alipay.sofa.jraft.core.Scheduler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** When the heartbeats of a node are due. Times are in milliseconds. */
final class AlignedSchedulerTest {
  private static final long INTERVAL = 200;

  private final List<Long> delays = new ArrayList<>();
  private double nowMillis;
  private final AlignedScheduler scheduler =
      new AlignedScheduler(
          (Scheduler)
              Proxy.newProxyInstance(
                  Scheduler.class.getClassLoader(),
                  new Class<?>[] {Scheduler.class},
                  (proxy, method, arguments) -> {
                    delays.add(((TimeUnit) arguments[2]).toNanos((long) arguments[1]));
                    return null;
                  }),
          INTERVAL,
          () -> Math.round(nowMillis * 1e6));

  /** Schedules a timer and returns when it fires. */
  private double fires(double now, long delay) {
    nowMillis = now;
    scheduler.schedule(() -> {}, delay, TimeUnit.MILLISECONDS);
    return now + delays.get(delays.size() - 1) / 1e6;
  }

  @Test
  void shouldAlignHeartbeats() {
    assertThat(fires(1_000, 200)).isEqualTo(1_200);
    assertThat(fires(1_001, 200)).isEqualTo(1_200);
    assertThat(fires(1_150, 200)).as("early, never late").isEqualTo(1_200);
    assertThat(fires(1_003.5, 197)).as("the lock was free only after 3 ms").isEqualTo(1_200);
    assertThat(fires(-1_199, 200)).as("the clock may be negative").isEqualTo(-1_000);
  }

  @Test
  void shouldNotSendTwiceBecauseOfTheTruncatedMilliseconds() {
    assertThat(fires(1_000.3, 199)).isEqualTo(1_200);
  }

  @Test
  void shouldNotAlignOtherTimers() {
    assertThat(fires(1_150, 1_000)).as("a timeout").isEqualTo(2_150);
    assertThat(fires(1_150, 201)).isEqualTo(1_351);
    assertThat(fires(1_150, 30)).as("no multiple in between").isEqualTo(1_180);
    assertThat(fires(1_150, 0)).isEqualTo(1_150);
    assertThat(fires(1_150, -5)).as("overdue").isEqualTo(1_145);
  }

  @Test
  void shouldSendOneHeartbeatForEachInterval() {
    Random random = new Random(1);
    for (int group = 0; group < 50; group++) {
      double now = random.nextInt(1_000_000) / 1e3;
      for (int beat = 0; beat < 100; beat++) {
        final double before = now;
        double response = now + random.nextInt(1_500) / 1e2;
        now = fires(response, INTERVAL - random.nextInt(2));
        assertThat(now - response).isPositive().isLessThanOrEqualTo(INTERVAL + 2);
        if (beat > 0) {
          assertThat(now - before).as("interval").isCloseTo(INTERVAL, within());
        }
      }
      assertThat(now % INTERVAL).as("phase").isCloseTo(0, within());
    }
  }

  private static Offset<Double> within() {
    return Offset.offset(1e-6);
  }

  @Test
  void shouldBeUsedByJraft() {
    Scheduler used = JRaftUtils.raftTimerFactory().getRaftScheduler(true, 200, "test");
    assertThat(used).isInstanceOf(AlignedScheduler.class);
    used.shutdown();
  }
}
