package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.perf.scenario.UsageException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Measures retained messages: the cost of setting them, and the load of the query threads while one
 * client subscribes to many wildcard filters, once with filters that match no retained message and
 * once with filters that match one each.
 */
record RetainedMessagesBenchmark(ClientLoops loops, long brokerPid, int filters) {
  private static final String SETTINGS =
      """
      sessionConfig:
        maxSubscriptions: 20000
        readBytesPerSecond: 0
        writeBytesPerSecond: 0
        maxQueuedMessages: 40000
      overloadConfig: {enabled: false}
      """;

  /** The value of {@code maxSubscriptions} in {@link #SETTINGS}. */
  private static final int MAX_FILTERS = 20_000;

  private static final String QUERY_THREADS = "range-query";
  private static final int DEVICES_PER_SITE = 100;
  private static final int PAYLOAD_BYTES = 16;
  private static final int TIMEOUT_SECONDS = 120;
  private static final int UNMEASURED_ROUNDS = 2;

  /** The last filter of each SUBSCRIBE: its message shows that all lookups are done. */
  private static final String LAST_FILTER = "last";

  /** Measures the cost of setting retained messages: one client sets those of new topics. */
  static void set(BenchmarkRun run) throws Exception {
    int count = run.number("retained");
    RunningBroker broker = run.startAll().get(0);
    try (ClientLoops loops = broker.loops(1)) {
      for (int i = -UNMEASURED_ROUNDS; i < run.settings().runs(); i++) {
        String topic = "retained/" + i + "/";
        List<String> topics = IntStream.range(0, count).mapToObj(n -> topic + n).toList();
        double heapMb = IdleRangesBenchmark.heapMb(broker.pid());
        final double cpu = ProcessUsage.of(broker.pid()).cpuMicros();
        ClosedLoopPublisher.retain(loops, topics, run.number("payload"));
        double used = ProcessUsage.of(broker.pid()).cpuMicros() - cpu;
        heapMb = IdleRangesBenchmark.heapMb(broker.pid()) - heapMb;
        if (i >= 0) {
          run.add(
              new Measurement()
                  .put(ResultMetric.CPU_MICROS, used / count)
                  .put(ResultMetric.RETAINED_BYTES, heapMb * (1 << 20) / count)
                  .result(broker.name()));
        }
      }
    }
  }

  /** Measures the cost of looking up retained messages for new subscriptions. */
  static void lookUp(BenchmarkRun run) throws Exception {
    int retained = run.number("retained");
    int filters = run.number("filters");
    if (filters > MAX_FILTERS || filters > retained) {
      throw new UsageException(
          "--set filters must be at most %,d and at most the value of retained (%,d), not %,d"
              .formatted(MAX_FILTERS, retained, filters));
    }
    try (RunningBroker broker = run.startNode("node", SETTINGS);
        ClientLoops loops = broker.loops(1)) {
      RetainedMessagesBenchmark benchmark =
          new RetainedMessagesBenchmark(loops, broker.pid(), filters);
      benchmark.retain(retained);
      for (int i = 0; i <= run.settings().runs(); i++) {
        Measurement none = benchmark.measure("site/+/none%d/temperature", 0);
        Measurement each = benchmark.measure("+/%2$d/device%3$d/+", filters - 1);
        if (i > 0) { // the first run warms up
          run.add(none.result("no match"));
          run.add(each.result("one match each"));
        }
      }
    }
  }

  /** Publishes {@code site/S/deviceD/temperature}, and the message of the last filter. Blocks. */
  private void retain(int messages) throws Exception {
    List<String> topics = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      topics.add(
          "site/%d/device%d/temperature".formatted(i / DEVICES_PER_SITE, i % DEVICES_PER_SITE));
    }
    topics.add(LAST_FILTER);
    ClosedLoopPublisher.retain(loops, topics, PAYLOAD_BYTES);
  }

  /**
   * Sends one SUBSCRIBE with all filters and waits for the retained messages. Blocks.
   *
   * @param filter format of the filters; its arguments are the filter's number, site and device
   * @param matches number of retained messages that all filters together match
   */
  private Measurement measure(String filter, int matches) throws Exception {
    List<String> all = new ArrayList<>(filters);
    for (int i = 0; i < filters - 1; i++) {
      all.add(filter.formatted(i, i / DEVICES_PER_SITE, i % DEVICES_PER_SITE));
    }
    all.add(LAST_FILTER);
    Semaphore messages = new Semaphore(0);
    LoadClient client =
        loops
            .connect(new LoadClient("subscriber", true, new MessageCounter(messages)))
            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    final long cpu = ProcessUsage.threadCpuMicros(brokerPid, QUERY_THREADS);
    long start = System.nanoTime();
    client.subscribe(all, 0).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    if (!messages.tryAcquire(matches + 1, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "not all retained messages arrived within %d s; see the broker's log"
              .formatted(TIMEOUT_SECONDS));
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    double micros = ProcessUsage.threadCpuMicros(brokerPid, QUERY_THREADS) - cpu;
    client.close();
    return new Measurement()
        .put(ResultMetric.LOOKUP_CPU_MICROS, micros / filters)
        .put(ResultMetric.LOOKUPS_SECONDS, seconds);
  }

  private record MessageCounter(Semaphore messages) implements LoadClient.Receiver {
    @Override
    public void onPublish(ByteBuf payload) {
      messages.release();
    }
  }
}
