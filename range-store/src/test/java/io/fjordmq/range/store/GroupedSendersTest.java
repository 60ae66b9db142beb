package io.fjordmq.range.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.Timers;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Three nodes send commands to one range at a constant rate, in simulated time. Tests the
 * interaction of the pauses of the senders with the groups of the leader.
 */
class GroupedSendersTest {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000 * MICRO;
  private static final long SECONDS = 10;
  private static final int NODES = 3;
  private static final int PUBLISHES_PER_CLIENT = 20; // per second
  private static final Duration INTERVAL = RangeClientSettings.DEFAULTS.batchInterval();

  // As measured on three nodes: a message between nodes, a late timer, an append to the log.
  private static final long HOP_NANOS = 120 * MICRO;
  private static final long TIMER_LAG_NANOS = 60 * MICRO;
  private static final long APPEND_NANOS = 800 * MICRO;
  private static final long COMMIT_NANOS = 500 * MICRO;

  private final Random random = new Random(1);
  private final SimulatedClock clock = new SimulatedClock();
  private final GroupCommit groups = new GroupCommit(INTERVAL, clock, this::append);
  private final List<Runnable> waitingForAppend = new ArrayList<>();
  private final List<Long> waitNanos = new ArrayList<>();
  private boolean appending;
  private long appends;
  private long batches;
  private long registered;

  /** Timers with nanoseconds. */
  private static final class SimulatedClock implements Timers {
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private long now;
    private long count;

    private record Task(long atNanos, long number, Runnable action) implements Comparable<Task> {
      @Override
      public int compareTo(Task other) {
        int order = Long.compare(atNanos, other.atNanos);
        return order != 0 ? order : Long.compare(number, other.number);
      }
    }

    @Override
    public long nowMillis() {
      return now / MILLI;
    }

    @Override
    public long nowNanos() {
      return now;
    }

    @Override
    public void schedule(long delayMillis, Runnable task) {
      after(delayMillis * MILLI, task);
    }

    @Override
    public void scheduleNanos(long delayNanos, Runnable task) {
      after(delayNanos + TIMER_LAG_NANOS, task);
    }

    void after(long nanos, Runnable action) {
      tasks.add(new Task(now + nanos, count++, action));
    }

    void runUntil(long nanos) {
      while (!tasks.isEmpty() && tasks.peek().atNanos <= nanos) {
        Task task = tasks.remove();
        now = task.atNanos;
        task.action.run();
      }
    }
  }

  /** Appends what is waiting, one append at a time; the entries commit some time after it. */
  private void append(byte[] entry, Consumer<RangeResult> reply) {
    int commands =
        ((RangeEntry.Mutations) RangeEntry.decode(ByteBuffer.wrap(entry))).commands().size();
    RangeResult applied = new RangeResult.Applied(1, Collections.nCopies(commands, new byte[0]));
    waitingForAppend.add(() -> reply.accept(applied));
    if (!appending) {
      appending = true;
      clock.after(0, this::startAppend); // with the other entries of the group
    }
  }

  private void startAppend() {
    List<Runnable> replies = List.copyOf(waitingForAppend);
    waitingForAppend.clear();
    appends++;
    long append = APPEND_NANOS + jitter();
    clock.after(
        append,
        () -> {
          appending = !waitingForAppend.isEmpty();
          if (appending) {
            startAppend();
          }
        });
    clock.after(append + COMMIT_NANOS, () -> replies.forEach(Runnable::run));
  }

  /** Exponentially distributed, half a millisecond on average. */
  private long jitter() {
    return (long) (-Math.log(1 - random.nextDouble()) * 500 * MICRO);
  }

  private RoutedRangeClient sender(long hopNanos) {
    RangeTransport transport =
        new RangeTransport() {
          @Override
          public void propose(
              NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
            Consumer<RangeResult> response =
                result -> clock.after(hopNanos, () -> reply.accept(result));
            if (RangeEntry.decode(ByteBuffer.wrap(entry)) instanceof RangeEntry.Register) {
              response.accept(new RangeResult.Registered(++registered));
            } else {
              batches++;
              clock.after(hopNanos, () -> groups.submit(entry, response));
            }
          }

          @Override
          public void query(
              NodeId node,
              RangeId range,
              long epochVersion,
              long minIndex,
              byte[] query,
              Consumer<RangeResult> reply) {
            throw new UnsupportedOperationException();
          }
        };
    NodeId leader = new NodeId("leader");
    RangeDescriptor range =
        new RangeDescriptor(
            new RangeId("inbox", 1),
            KeyInterval.ALL,
            RangeEpoch.FIRST,
            ReplicaSet.ofVoters(leader, new NodeId("b"), new NodeId("c")));
    return new RoutedRangeClient(
        "inbox",
        List.of(range),
        transport,
        clock,
        RangeClientSettings.DEFAULTS,
        RangeObserver.NONE);
  }

  /** Clients publish at fixed intervals with random phases, equally many on each node. */
  private void run(int publishesPerSecond) {
    long interval = TimeUnit.SECONDS.toNanos(1) / PUBLISHES_PER_CLIENT;
    for (int node = 0; node < NODES; node++) {
      RoutedRangeClient sender = sender(node == 0 ? 0 : HOP_NANOS);
      for (int i = 0; i < publishesPerSecond / PUBLISHES_PER_CLIENT / NODES; i++) {
        clock.after((long) (random.nextDouble() * interval), () -> publish(sender, interval));
      }
    }
    clock.runUntil(TimeUnit.SECONDS.toNanos(SECONDS));
  }

  private void publish(RoutedRangeClient sender, long interval) {
    long start = clock.nowNanos();
    sender
        .mutate(new byte[] {1}, new byte[] {1})
        .thenRun(() -> waitNanos.add(clock.nowNanos() - start));
    clock.after(interval, () -> publish(sender, interval));
  }

  private double percentileMillis(double fraction) {
    Collections.sort(waitNanos);
    return (double) waitNanos.get((int) (waitNanos.size() * fraction)) / MILLI;
  }

  private String figures() {
    return String.format(
        "%d appends/s, %d batches/s, p50 %.2f ms, p90 %.2f ms, p99 %.2f ms",
        appends / SECONDS,
        batches / SECONDS,
        percentileMillis(0.5),
        percentileMillis(0.9),
        percentileMillis(0.99));
  }

  @Test
  void shouldGroupTheBatchesOfThreeNodesAtOrdinaryRates() {
    run(1_000);
    assertThat(appends).as(figures()).isLessThan(batches * 10 / 19);
    assertThat(percentileMillis(0.5)).as(figures()).isLessThan(4.5);
    assertThat(percentileMillis(0.99)).as(figures()).isLessThan(9.5);
  }

  @Test
  void shouldGroupNearlyAllBatchesAtHigherRates() {
    run(3_000);
    assertThat(appends).as(figures()).isLessThan(batches * 10 / 25);
    assertThat(percentileMillis(0.5)).as(figures()).isLessThan(4.5);
  }
}
