package io.fjordmq.perf.ranges;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.MqttWire;
import io.fjordmq.perf.ProcessUsage;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of a publisher and a persistent subscriber with QoS 1 in a closed loop: each publisher has
 * a fixed number of messages in flight and sends more when they are delivered. This finds the
 * maximum throughput without a search, and no queue grows. Latencies are those of a saturated
 * broker.
 */
final class ClosedPairs implements AutoCloseable {
  private static final int IN_FLIGHT = 64;
  private static final int REFILL = IN_FLIGHT / 2;
  private static final int HEADER_BYTES = 12;
  private static final int WAIT_SECONDS = 60;
  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(5);

  private final long brokerPid;
  private final byte[] padding;
  private final List<Pair> pairs = new ArrayList<>();
  private final ConcurrentHistogram delivery = new ConcurrentHistogram(HIGHEST_MICROS, 3);
  private volatile boolean publishing;

  private ClosedPairs(long brokerPid, int payloadBytes) {
    this.brokerPid = brokerPid;
    this.padding = new byte[payloadBytes - HEADER_BYTES];
  }

  /**
   * Connects and starts.
   *
   * @param names client identifiers of the subscribers
   * @param payloadBytes at least 12
   */
  static ClosedPairs begin(ClientLoops loops, long brokerPid, List<String> names, int payloadBytes)
      throws Exception {
    ClosedPairs load = new ClosedPairs(brokerPid, payloadBytes);
    List<CompletableFuture<?>> ready = new ArrayList<>();
    for (String name : names) {
      Pair pair = load.new Pair(name);
      load.pairs.add(pair);
      ready.add(loops.connect(pair.publisher));
      ready.add(
          loops.connect(pair.subscriber).thenCompose(client -> client.subscribe(pair.topic, 1)));
    }
    CompletableFuture.allOf(ready.toArray(CompletableFuture[]::new))
        .get(WAIT_SECONDS, TimeUnit.SECONDS);
    load.publishing = true;
    load.pairs.forEach(pair -> pair.send(IN_FLIGHT));
    return load;
  }

  /**
   * Measures the next seconds.
   *
   * @throws IllegalStateException if a client was disconnected
   */
  SaturatedThroughput count(int seconds) throws InterruptedException {
    delivery.reset();
    ProcessUsage before = ProcessUsage.of(brokerPid);
    long from = System.nanoTime();
    long messages = messages();
    TimeUnit.SECONDS.sleep(seconds);
    messages = messages() - messages;
    long nanos = System.nanoTime() - from;
    ProcessUsage after = ProcessUsage.of(brokerPid);
    for (Pair pair : pairs) {
      if (pair.lost != null) {
        throw new IllegalStateException("a client was disconnected under load: " + pair.lost);
      }
    }
    return new SaturatedThroughput(
        messages * 1e9 / nanos,
        (after.cpuMicros() - before.cpuMicros()) / (double) Math.max(1, messages),
        delivery.getValueAtPercentile(50) / 1000.0,
        delivery.getValueAtPercentile(99) / 1000.0);
  }

  private long messages() {
    return pairs.stream().mapToLong(pair -> pair.sent + pair.received).sum();
  }

  /**
   * Stops, waits for messages in flight and checks all messages since the start.
   *
   * @return messages that were lost, duplicated or out of order
   */
  long faults() throws InterruptedException {
    publishing = false;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (System.nanoTime() < deadline && pairs.stream().anyMatch(p -> p.received < p.sent)) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    return pairs.stream().mapToLong(pair -> pair.sent - pair.received + pair.wrong).sum();
  }

  @Override
  public void close() {
    publishing = false;
    for (Pair pair : pairs) {
      pair.publisher.close();
      pair.subscriber.close();
    }
  }

  /** Each counter is written by one event loop. */
  private final class Pair {
    final String topic;
    final byte[] topicBytes;
    final LoadClient publisher;
    final LoadClient subscriber;
    volatile long sent;
    volatile long received;
    volatile long wrong;
    volatile @Nullable String lost;

    Pair(String name) {
      topic = "ranges/" + name;
      topicBytes = topic.getBytes(StandardCharsets.UTF_8);
      publisher = new LoadClient("p-" + name, true, new Acknowledgements());
      subscriber = new LoadClient(name, false, new Deliveries());
    }

    /** Any thread. */
    void send(int messages) {
      if (publishing) {
        publisher.channel().eventLoop().execute(() -> write(messages));
      }
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one event loop writes
    private void write(int messages) {
      int bytes = HEADER_BYTES + padding.length;
      ByteBuf out = publisher.channel().alloc().buffer(messages * (bytes + 32));
      for (int i = 0; i < messages; i++) {
        MqttWire.publish(out, topicBytes, 1, publisher.nextPacketIdentifier(), bytes);
        out.writeLong(System.nanoTime()).writeInt((int) sent).writeBytes(padding);
        sent++;
      }
      publisher.channel().writeAndFlush(out, publisher.channel().voidPromise());
    }

    private final class Acknowledgements implements LoadClient.Receiver {
      @Override
      public void onPublish(ByteBuf payload) {
        throw new IllegalStateException("a publisher subscribed to nothing got a message");
      }

      @Override
      public void onPuback(int packetIdentifier) {
        // Only deliveries count.
      }

      @Override
      public void onLost(String reason) {
        lost = reason;
      }
    }

    private final class Deliveries implements LoadClient.Receiver {
      @Override
      @SuppressWarnings("NonAtomicOperationOnVolatileField") // one event loop writes
      public void onPublish(ByteBuf payload) {
        long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - payload.readLong());
        if (payload.readInt() != (int) received) {
          wrong++;
        }
        delivery.recordValue(Math.max(0, Math.min(HIGHEST_MICROS, micros)));
        received++;
        if (received % REFILL == 0) {
          send(REFILL);
        }
      }

      @Override
      public void onPuback(int packetIdentifier) {
        throw new IllegalStateException("a subscriber published nothing but got a PUBACK");
      }

      @Override
      public void onLost(String reason) {
        lost = reason;
      }
    }
  }
}
