package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Clients with little load: some publish QoS 1 messages at a steady rate, and a new client connects
 * now and then. Latency counts from the actual send. There are several, so that every event loop of
 * the broker has some.
 */
final class Bystanders implements AutoCloseable {
  private static final int PUBLISHERS = 8;
  private static final int PUBLISH_MILLIS = 20;
  private static final int CONNECT_MILLIS = 25;
  private static final int SETUP_SECONDS = 30;
  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(1);

  /** Latencies in microseconds. */
  record Times(Histogram pubacks, Histogram connects) {
    private Times() {
      this(new ConcurrentHistogram(HIGHEST_MICROS, 3), new ConcurrentHistogram(HIGHEST_MICROS, 3));
    }
  }

  private final ClientLoops loops;
  private final List<LoadClient> clients = new ArrayList<>();
  private volatile Times times = new Times();
  private volatile boolean open = true;
  private long connections;

  Bystanders(ClientLoops loops) throws Exception {
    this.loops = loops;
    for (int i = 0; i < PUBLISHERS; i++) {
      Publisher publisher = new Publisher();
      LoadClient client = new LoadClient("bystander-" + i, true, publisher);
      clients.add(loops.connect(client).get(SETUP_SECONDS, TimeUnit.SECONDS));
      byte[] topic = ("bystanders/" + i).getBytes(StandardCharsets.UTF_8);
      client
          .channel()
          .eventLoop()
          .scheduleAtFixedRate(
              () -> publisher.publish(client, topic),
              (long) i * PUBLISH_MILLIS / PUBLISHERS,
              PUBLISH_MILLIS,
              TimeUnit.MILLISECONDS);
    }
    loops
        .next()
        .scheduleAtFixedRate(this::connect, CONNECT_MILLIS, CONNECT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void connect() {
    if (!open) {
      return;
    }
    long begun = System.nanoTime();
    LoadClient client =
        new LoadClient("passer-by-" + connections++, true, LoadClient.Receiver.NOTHING);
    loops
        .connect(client)
        .thenAccept(
            connected -> {
              record(times.connects(), begun);
              connected.close();
            });
  }

  private static void record(Histogram histogram, long begun) {
    long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun);
    histogram.recordValue(Math.min(HIGHEST_MICROS, micros));
  }

  /** The latencies of the next seconds. */
  Times measure(int seconds) throws InterruptedException {
    Times fresh = new Times();
    times = fresh;
    TimeUnit.SECONDS.sleep(seconds);
    times = new Times();
    return fresh;
  }

  @Override
  public void close() {
    open = false;
    clients.forEach(LoadClient::close);
  }

  /** Belongs to its client's event loop. The broker acknowledges in order. */
  private final class Publisher implements LoadClient.Receiver {
    private final ArrayDeque<Long> sentAt = new ArrayDeque<>();

    private void publish(LoadClient client, byte[] topic) {
      if (open) {
        ByteBuf out = client.channel().alloc().buffer();
        MqttWire.publish(out, topic, 1, client.nextPacketIdentifier(), 0);
        sentAt.add(System.nanoTime());
        client.channel().writeAndFlush(out, client.channel().voidPromise());
      }
    }

    @Override
    public void onPublish(ByteBuf payload) {
      throw new IllegalStateException("a bystander without a subscription received a message");
    }

    @Override
    public void onPuback(int packetIdentifier) {
      record(times.pubacks(), sentAt.remove());
    }
  }
}
