package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A light, steady load that detects latency of the broker: pairs of a publisher and a subscriber
 * with QoS 0; latency counts from the actual send.
 */
final class Probe implements AutoCloseable {
  private static final int PAIRS = 20;
  private static final int INTERVAL_MILLIS = 20;
  private static final int SETUP_SECONDS = 30;
  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final List<LoadClient> clients = new ArrayList<>();
  private volatile Histogram latency = new ConcurrentHistogram(HIGHEST_MICROS, 3);
  private volatile boolean open = true;

  /** Connects the pairs and starts publishing. */
  Probe(ClientLoops loops) throws Exception {
    List<CompletableFuture<LoadClient>> ready = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      String topic = "probe/" + i;
      ready.add(
          loops
              .connect(new LoadClient("probe-sub-" + i, true, new Arrivals()))
              .thenCompose(client -> client.subscribe(topic, 0)));
      ready.add(loops.connect(new LoadClient("probe-pub-" + i, true, new Arrivals())));
    }
    for (CompletableFuture<LoadClient> one : ready) {
      clients.add(one.get(SETUP_SECONDS, TimeUnit.SECONDS));
    }
    for (int i = 0; i < PAIRS; i++) {
      byte[] topic = ("probe/" + i).getBytes(StandardCharsets.UTF_8);
      LoadClient publisher = clients.get(2 * i + 1);
      publisher
          .channel()
          .eventLoop()
          .scheduleAtFixedRate(
              () -> publish(publisher, topic),
              i * INTERVAL_MILLIS / PAIRS,
              INTERVAL_MILLIS,
              TimeUnit.MILLISECONDS);
    }
  }

  private void publish(LoadClient publisher, byte[] topic) {
    if (open) {
      ByteBuf out = publisher.channel().alloc().buffer();
      MqttWire.publish(out, topic, 0, 0, Long.BYTES);
      out.writeLong(System.nanoTime());
      publisher.channel().writeAndFlush(out, publisher.channel().voidPromise());
    }
  }

  /** Latencies of the next seconds, in microseconds. */
  Histogram measure(int seconds) throws InterruptedException {
    Histogram fresh = new ConcurrentHistogram(HIGHEST_MICROS, 3);
    latency = fresh;
    TimeUnit.SECONDS.sleep(seconds);
    latency = new ConcurrentHistogram(HIGHEST_MICROS, 3);
    return fresh;
  }

  @Override
  public void close() {
    open = false;
    clients.forEach(LoadClient::close);
  }

  private final class Arrivals implements LoadClient.Receiver {
    @Override
    public void onPublish(ByteBuf payload) {
      long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - payload.readLong());
      latency.recordValue(Math.min(HIGHEST_MICROS, micros));
    }

    @Override
    public void onPuback(int packetIdentifier) {
      throw new IllegalStateException("a PUBACK for QoS 0");
    }
  }
}
