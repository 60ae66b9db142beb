package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.MqttPacketWriter;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of a publisher and a persistent subscriber with QoS 1 in a closed loop: each publisher has
 * a fixed number of messages in flight and sends more when they are delivered. This measures the
 * maximum throughput without a search for the highest rate and without growing queues. The
 * latencies are those of a saturated broker.
 */
final class ClosedLoopPairs implements AutoCloseable {
  private static final int IN_FLIGHT = 64;
  private static final int REFILL = IN_FLIGHT / 2;
  private static final int DRAIN_SECONDS = 60;
  private static final long MAX_MICROS = TimeUnit.MINUTES.toMicros(5);

  private final long brokerPid;
  private final byte[] padding;
  private final List<Pair> pairs = new ArrayList<>();
  private final Recorder delivery = new Recorder(MAX_MICROS, 3);
  private volatile boolean publishing;

  private ClosedLoopPairs(long brokerPid, int payloadBytes) {
    this.brokerPid = brokerPid;
    this.padding = new byte[payloadBytes - NumberedMessages.HEADER_BYTES];
  }

  /**
   * Connects all clients and starts publishing. Blocks until all are connected.
   *
   * @param clientIds client identifiers of the subscribers
   * @param payloadBytes at least 12
   */
  static ClosedLoopPairs start(
      ClientLoops loops, long brokerPid, List<String> clientIds, int payloadBytes)
      throws Exception {
    ClosedLoopPairs load = connect(loops, brokerPid, clientIds, payloadBytes);
    load.begin();
    return load;
  }

  /** Connects without sending; {@link #begin} starts the load. Blocks. */
  static ClosedLoopPairs connect(
      ClientLoops loops, long brokerPid, List<String> clientIds, int payloadBytes)
      throws Exception {
    ClosedLoopPairs load = new ClosedLoopPairs(brokerPid, payloadBytes);
    List<CompletableFuture<?>> ready = new ArrayList<>();
    for (String clientId : clientIds) {
      Pair pair = load.new Pair(clientId);
      load.pairs.add(pair);
      ready.add(loops.connect(pair.publisher));
      ready.add(
          loops.connect(pair.subscriber).thenCompose(client -> client.subscribe(pair.topic, 1)));
    }
    Waves.await(ready);
    return load;
  }

  void begin() {
    publishing = true;
    pairs.forEach(pair -> pair.send(IN_FLIGHT));
  }

  /**
   * Measures for the given time, then stops publishing, waits for messages in flight and checks all
   * messages since the start.
   *
   * @throws IllegalStateException if a client was disconnected
   */
  Measurement measure(int seconds) throws InterruptedException {
    delivery.reset();
    ProcessUsage before = ProcessUsage.of(brokerPid);
    long start = System.nanoTime();
    long messages = messages();
    TimeUnit.SECONDS.sleep(seconds);
    messages = messages() - messages;
    final double elapsed = (System.nanoTime() - start) / 1e9;
    Histogram delivered = delivery.getIntervalHistogram();
    double cpu = ProcessUsage.of(brokerPid).cpuMicros() - before.cpuMicros();
    Measurement measurement =
        new Measurement()
            .put(ResultMetric.THROUGHPUT, messages / elapsed)
            .put(ResultMetric.CPU_MICROS, cpu / Math.max(1, messages))
            .put(ResultMetric.P50_MS, delivered.getValueAtPercentile(50) / 1000.0)
            .put(ResultMetric.P99_MS, delivered.getValueAtPercentile(99) / 1000.0);
    publishing = false;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
    while (System.nanoTime() < deadline && pairs.stream().anyMatch(p -> p.received < p.sent)) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    for (Pair pair : pairs) {
      if (pair.disconnectReason != null) {
        throw new IllegalStateException(
            "a client was disconnected under load: " + pair.disconnectReason);
      }
    }
    return measurement
        .faults(ResultMetric.LOST, pairs.stream().mapToLong(p -> p.sent - p.received).sum())
        .faults(ResultMetric.OUT_OF_ORDER, pairs.stream().mapToLong(p -> p.outOfOrder).sum());
  }

  private long messages() {
    return pairs.stream().mapToLong(pair -> pair.sent + pair.received).sum();
  }

  @Override
  public void close() {
    publishing = false;
    Waves.close(pairs.stream().flatMap(p -> Stream.of(p.publisher, p.subscriber)).toList());
  }

  /**
   * A publisher and its subscriber. Messages count as sent once they are to be written. Otherwise,
   * if the publisher's event loop were delayed when the load stops, nothing would seem to be in
   * flight, and the messages would arrive in the next round.
   */
  private final class Pair {
    final String topic;
    final byte[] topicBytes;
    final LoadClient publisher;
    final LoadClient subscriber;

    /** Changed by {@link #begin}, then by the event loop of the subscriber, like the others. */
    volatile long sent;

    volatile long received;
    volatile long outOfOrder;
    volatile @Nullable String disconnectReason;

    /** Number of the next message; belongs to the event loop of the publisher. */
    private int nextNumber;

    Pair(String name) {
      topic = "ranges/" + name;
      topicBytes = topic.getBytes(StandardCharsets.UTF_8);
      publisher = new LoadClient("p-" + name, true, new Acknowledgements());
      subscriber = new LoadClient(name, false, new Deliveries());
    }

    /** Sends messages unless the load has stopped. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // see the field
    void send(int messages) {
      if (publishing) {
        sent += messages;
        publisher.channel().eventLoop().execute(() -> write(messages));
      }
    }

    private void write(int messages) {
      int bytes = NumberedMessages.HEADER_BYTES + padding.length;
      ByteBuf out = publisher.channel().alloc().buffer(messages * (bytes + 32));
      for (int i = 0; i < messages; i++) {
        MqttPacketWriter.publish(out, topicBytes, 1, publisher.nextPacketIdentifier(), bytes);
        out.writeLong(System.nanoTime()).writeInt(nextNumber++).writeBytes(padding);
      }
      publisher.channel().writeAndFlush(out, publisher.channel().voidPromise());
    }

    private final class Acknowledgements implements LoadClient.Receiver {
      @Override
      public void onPuback(int packetIdentifier) {
        // Ignored, because only deliveries count.
      }

      @Override
      public void onLost(String reason) {
        disconnectReason = reason;
      }
    }

    private final class Deliveries implements LoadClient.Receiver {
      @Override
      @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by one event loop
      public void onPublish(ByteBuf payload) {
        long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - payload.readLong());
        if (payload.readInt() != (int) received) {
          outOfOrder++;
        }
        delivery.recordValue(Math.max(0, Math.min(MAX_MICROS, micros)));
        received++;
        if (received % REFILL == 0) {
          send(REFILL);
        }
      }

      @Override
      public void onLost(String reason) {
        disconnectReason = reason;
      }
    }
  }
}
