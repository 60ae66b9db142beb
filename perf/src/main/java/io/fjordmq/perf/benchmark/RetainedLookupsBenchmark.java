package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.MqttPacketWriter;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.perf.scenario.UsageException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Measures the CPU time of the query threads while one client subscribes to many wildcard filters:
 * once with filters that match no retained message, once with filters that match one message each.
 */
record RetainedLookupsBenchmark(ClientLoops loops, long brokerPid, int filters) {
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
  private static final int WINDOW = 500;
  private static final int PAYLOAD_BYTES = 16;
  private static final int RETAIN = 1;
  private static final int TIMEOUT_SECONDS = 120;

  /** The last filter of each SUBSCRIBE: its message shows that all lookups are done. */
  private static final String LAST_FILTER = "last";

  static void run(BenchmarkRun run) throws Exception {
    int retained = run.number("retained");
    int filters = run.number("filters");
    if (filters > MAX_FILTERS || filters > retained) {
      throw new UsageException(
          "--set filters must be at most %,d and at most the value of retained (%,d), not %,d"
              .formatted(MAX_FILTERS, retained, filters));
    }
    try (RunningBroker broker = run.startNode("node", SETTINGS);
        ClientLoops loops = broker.loops(1)) {
      RetainedLookupsBenchmark benchmark =
          new RetainedLookupsBenchmark(loops, broker.pid(), filters);
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
    Semaphore free = new Semaphore(WINDOW);
    LoadClient client = connect("publisher", new PacketCounter(free, new Semaphore(0)));
    for (int i = 0; i <= messages; i++) {
      String topic =
          i == messages
              ? LAST_FILTER
              : "site/%d/device%d/temperature"
                  .formatted(i / DEVICES_PER_SITE, i % DEVICES_PER_SITE);
      acquire(free, 1, "a PUBACK");
      ByteBuf out = client.channel().alloc().buffer();
      byte[] name = topic.getBytes(StandardCharsets.UTF_8);
      MqttPacketWriter.publish(out, name, 1, client.nextPacketIdentifier(), PAYLOAD_BYTES);
      out.writeZero(PAYLOAD_BYTES);
      out.setByte(0, out.getByte(0) | RETAIN);
      client.channel().writeAndFlush(out);
    }
    acquire(free, WINDOW, "the last PUBACKs");
    client.close();
  }

  /**
   * Sends one SUBSCRIBE with all filters and waits for the retained messages. Blocks.
   *
   * @param filter format of the filters; its arguments are the filter's number, site and device
   * @param matches retained messages that they match together
   */
  private Measurement measure(String filter, int matches) throws Exception {
    List<String> all = new ArrayList<>(filters);
    for (int i = 0; i < filters - 1; i++) {
      all.add(filter.formatted(i, i / DEVICES_PER_SITE, i % DEVICES_PER_SITE));
    }
    all.add(LAST_FILTER);
    Semaphore messages = new Semaphore(0);
    LoadClient client = connect("subscriber", new PacketCounter(new Semaphore(0), messages));
    final long cpu = ProcessUsage.threadCpuMicros(brokerPid, QUERY_THREADS);
    long start = System.nanoTime();
    client.subscribe(all, 0).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    acquire(messages, matches + 1, "the retained messages");
    double seconds = (System.nanoTime() - start) / 1e9;
    double micros = ProcessUsage.threadCpuMicros(brokerPid, QUERY_THREADS) - cpu;
    client.close();
    return new Measurement()
        .put(ResultMetric.LOOKUP_CPU_MICROS, micros / filters)
        .put(ResultMetric.LOOKUPS_SECONDS, seconds);
  }

  private LoadClient connect(String name, PacketCounter receiver) throws Exception {
    return loops
        .connect(new LoadClient(name, true, receiver))
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private static void acquire(Semaphore semaphore, int permits, String what)
      throws InterruptedException {
    if (!semaphore.tryAcquire(permits, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "waited %d s for %s; see the broker's log".formatted(TIMEOUT_SECONDS, what));
    }
  }

  /** Counts PUBACKs and messages. */
  private record PacketCounter(Semaphore pubacks, Semaphore messages)
      implements LoadClient.Receiver {
    @Override
    public void onPublish(ByteBuf payload) {
      messages.release();
    }

    @Override
    public void onPuback(int packetIdentifier) {
      pubacks.release();
    }
  }
}
