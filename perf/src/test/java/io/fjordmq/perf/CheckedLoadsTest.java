package io.fjordmq.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.MoodyBroker.Mood;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What the loads of the figures next to mosquitto find wrong with a broker that is. */
class CheckedLoadsTest {
  private static final long SELF = ProcessHandle.current().pid();

  private interface Work<R> {
    R with(ClientLoops loops) throws Exception;
  }

  private static <R> R against(Function<String, Mood> moods, Work<R> work) throws Exception {
    try (MoodyBroker broker = new MoodyBroker(moods);
        ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      return work.with(loops);
    }
  }

  private static Function<String, Mood> moods(Map<String, Mood> moods) {
    return client -> moods.getOrDefault(client, Mood.SERVE);
  }

  /** Waits no longer for one that gets nothing than for what the others are to get twice. */
  private static final class Doubled extends FanOutLoad {
    private long doubles;

    Doubled(ClientLoops loops) {
      super(loops, 1, 64);
    }

    @Override
    void await(CountDownLatch waiting) throws InterruptedException {
      doubles++;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (waiting.getCount() > 1 || duplicated() < doubles) {
        assertThat(System.nanoTime() - deadline).isNegative();
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
  }

  @Test
  void shouldNotTakeADoubleOfOneSubscriberForTheMessageOfAnother() throws Exception {
    FanOutLoad.Result result =
        against(
            moods(Map.of("0", Mood.REPEAT, "1", Mood.STARVE)),
            loops -> {
              try (FanOutLoad load = new Doubled(loops)) {
                load.connect(3);
                return load.publish(2, SELF);
              }
            });
    assertThat(result.missing()).isEqualTo(2);
    assertThat(result.duplicated()).isEqualTo(2);
    assertThat(result.outOfOrder()).isZero();
  }

  @Test
  void shouldFindWhatCameOutOfOrder() throws Exception {
    ShareLoad.Result result =
        against(
            moods(Map.of("1", Mood.SWAP)),
            loops -> {
              try (ShareLoad load = new ShareLoad(loops, false, 1, 20, 64)) {
                load.connect(3, 3);
                return load.run(0, 4, SELF); // enough for a second one, whatever stands still
              }
            });
    assertThat(result.outOfOrder()).isEqualTo(1);
    assertThat(result.missing()).isZero();
    assertThat(result.duplicated()).isZero();
    assertThat(result.misrouted()).isZero();
  }

  @Test
  void shouldTellRefusalsFromSilence() throws Exception {
    Map<String, AtomicInteger> times = new ConcurrentHashMap<>();
    ReconnectLoad.Result result =
        against(
            client -> {
              int time = times.computeIfAbsent(client, none -> new AtomicInteger()).getAndAdd(1);
              return client.equals("25") && (time == 1 || time == 2) ? Mood.REFUSE : Mood.SERVE;
            },
            loops -> new ReconnectLoad(loops, 40).run());
    assertThat(result.refused()).isEqualTo(2);
    assertThat(result.unanswered()).isZero();
    assertThat(result.missing()).isZero();
  }
}
