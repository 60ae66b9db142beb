package io.fjordmq.perf;

import io.fjordmq.perf.check.Stream;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link PairWork} in an open loop: publishers keep to their schedule whatever the broker
 * does, and latency counts from the scheduled send time, so that a stall of the broker is visible.
 */
final class PairLoad {
  /** Payload: i64 scheduled nanoTime, i32 number of the message in its publisher, from 0. */
  static final int HEADER_BYTES = 12;

  private static final int TICK_MILLIS = 2;
  private static final int SETUP_SECONDS = 60;
  private static final int DRAIN_SECONDS = 10;
  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(5);

  private final PairWork work;
  private final String label;
  private final byte[] padding;
  private final Histogram delivery = new ConcurrentHistogram(HIGHEST_MICROS, 3);
  private final Histogram acknowledgement = new ConcurrentHistogram(HIGHEST_MICROS, 3);
  private final List<Pair> pairs = new ArrayList<>();
  private volatile @Nullable Span counted;
  private volatile boolean publishing;

  /**
   * An interval of {@code System.nanoTime()}; messages scheduled in it count, whenever they arrive.
   */
  private record Span(long fromNanos, long toNanos) {
    boolean contains(long nanos) {
      return nanos - fromNanos >= 0 && nanos - toNanos < 0;
    }
  }

  PairLoad(PairWork work) {
    this(work, "");
  }

  /**
   * @param label prefix of the names of its clients and topics, which keeps messages of earlier
   *     loads in persistent sessions apart
   */
  PairLoad(PairWork work, String label) {
    this.work = work;
    this.label = label;
    this.padding = new byte[work.payloadBytes() - HEADER_BYTES];
  }

  PairResult run(ClientLoops loops, List<Long> brokerPids) throws Exception {
    try {
      connectAll(loops);
      publishing = true;
      long start = System.nanoTime();
      for (int i = 0; i < pairs.size(); i++) {
        pairs.get(i).startPublishing(start, i);
      }
      TimeUnit.SECONDS.sleep(work.warmSeconds());
      return count(loops, brokerPids);
    } finally {
      publishing = false;
      pairs.forEach(Pair::close);
    }
  }

  private PairResult count(ClientLoops loops, List<Long> brokerPids) throws InterruptedException {
    ProcessUsage before = ProcessUsage.of(brokerPids);
    long sentBefore = pairs.stream().mapToLong(p -> p.sent).sum();
    long receivedBefore = pairs.stream().mapToLong(p -> p.received).sum();
    long now = System.nanoTime();
    counted = new Span(now, now + TimeUnit.SECONDS.toNanos(work.seconds()));
    TimeUnit.SECONDS.sleep(work.seconds());
    ProcessUsage after = ProcessUsage.of(brokerPids);
    long sent = pairs.stream().mapToLong(p -> p.sent).sum() - sentBefore;
    long received = pairs.stream().mapToLong(p -> p.received).sum() - receivedBefore;
    publishing = false;
    loops.awaitTurns();
    awaitDrained();
    return new PairResult(
        work.seconds(),
        sent,
        received,
        pairs.stream().mapToLong(p -> p.sent - (p.received - p.duplicated)).sum(),
        pairs.stream().mapToLong(p -> p.duplicated).sum(),
        pairs.stream().mapToLong(p -> p.outOfOrder).sum(),
        (after.cpuMicros() - before.cpuMicros()) / (double) Math.max(1, sent + received),
        after.residentKilobytes(),
        after.writtenSince(before).orElse(Double.NaN) / Math.max(1, sent),
        delivery,
        acknowledgement);
  }

  private void awaitDrained() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
    while (System.nanoTime() < deadline && pairs.stream().anyMatch(p -> p.received < p.sent)) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private void connectAll(ClientLoops loops) throws Exception {
    List<CompletableFuture<?>> ready = new ArrayList<>();
    for (int i = 0; i < work.pairs(); i++) {
      Pair pair = new Pair(i);
      pairs.add(pair);
      ready.add(loops.connect(pair.publisher, i));
      ready.add(
          loops
              .connect(pair.subscriber, i / loops.nodes()) // covers all paths between nodes
              .thenCompose(client -> client.subscribe(pair.topic, work.qos())));
    }
    CompletableFuture.allOf(ready.toArray(CompletableFuture[]::new))
        .get(SETUP_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * A publisher and its subscriber. Each counter is written by one event loop; the runner adds them
   * up.
   */
  private final class Pair {
    final String topic;
    final byte[] topicBytes;
    final LoadClient publisher;
    final LoadClient subscriber;
    private final long[] sentAt = new long[65_536];
    private long startNanos;
    volatile long sent;
    volatile long received;
    volatile long duplicated;
    volatile long outOfOrder;
    private final Stream stream = new Stream();

    Pair(int number) {
      topic = "perf/" + label + number + "/t";
      topicBytes = topic.getBytes(StandardCharsets.UTF_8);
      publisher = new LoadClient("pub-" + label + number, true, new Acknowledgements());
      subscriber = new LoadClient("sub-" + label + number, !work.persistent(), new Deliveries());
    }

    /** Publishers are spread evenly over one interval. */
    void startPublishing(long start, int index) {
      long interval = TimeUnit.SECONDS.toNanos(1) / work.ratePerSecond();
      startNanos = start + interval * index / work.pairs();
      publisher
          .channel()
          .eventLoop()
          .scheduleAtFixedRate(this::publishDue, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void publishDue() {
      if (!publishing || !publisher.channel().isActive()) {
        return;
      }
      long elapsed = System.nanoTime() - startNanos;
      if (elapsed < 0) {
        return;
      }
      long due = elapsed * work.ratePerSecond() / TimeUnit.SECONDS.toNanos(1);
      if (sent >= due) {
        return;
      }
      ByteBuf out = publisher.channel().alloc().buffer();
      long number = sent;
      for (; number < due; number++) {
        write(out, number);
      }
      sent = number;
      publisher.channel().writeAndFlush(out, publisher.channel().voidPromise());
    }

    private void write(ByteBuf out, long number) {
      long intended =
          startNanos + (number + 1) * TimeUnit.SECONDS.toNanos(1) / work.ratePerSecond();
      int identifier = work.qos() > 0 ? publisher.nextPacketIdentifier() : 0;
      sentAt[identifier] = intended;
      MqttWire.publish(out, topicBytes, work.qos(), identifier, work.payloadBytes());
      out.writeLong(intended).writeInt((int) number).writeBytes(padding);
    }

    void close() {
      if (publisher.connected().isDone() && !publisher.connected().isCompletedExceptionally()) {
        publisher.close();
      }
      if (subscriber.connected().isDone() && !subscriber.connected().isCompletedExceptionally()) {
        subscriber.close();
      }
    }

    private final class Acknowledgements implements LoadClient.Receiver {
      @Override
      public void onPublish(ByteBuf payload) {
        throw new IllegalStateException("a publisher without a subscription received a message");
      }

      @Override
      public void onPuback(int packetIdentifier) {
        record(acknowledgement, sentAt[packetIdentifier]);
      }
    }

    private final class Deliveries implements LoadClient.Receiver {
      @Override
      @SuppressWarnings("NonAtomicOperationOnVolatileField") // one event loop writes
      public void onPublish(ByteBuf payload) {
        long intended = payload.readLong();
        switch (stream.accept(payload.readInt())) {
          case NEW -> {}
          case LATE -> outOfOrder++;
          case DUPLICATE -> duplicated++;
        }
        received++;
        record(delivery, intended);
      }

      @Override
      public void onPuback(int packetIdentifier) {
        throw new IllegalStateException("a subscriber received a PUBACK without publishing");
      }
    }
  }

  private void record(Histogram histogram, long intendedNanos) {
    Span span = counted;
    if (span == null || !span.contains(intendedNanos)) {
      return;
    }
    long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - intendedNanos);
    histogram.recordValue(Math.max(0, Math.min(HIGHEST_MICROS, micros)));
  }
}
