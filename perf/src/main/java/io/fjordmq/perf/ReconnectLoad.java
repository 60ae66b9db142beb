package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * All clients with persistent sessions lose their connections and reconnect at once, while each of
 * them is sent a QoS 1 message. A refused client retries after a short pause.
 */
final class ReconnectLoad {
  private static final int PUBLISHERS = 20;
  private static final int PAYLOAD_BYTES = 64;
  private static final int PATIENCE_SECONDS = 60;
  private static final int LEAST_PAUSE_MILLIS = 100;
  private static final int MOST_PAUSE_MILLIS = 500;

  /**
   * The result.
   *
   * @param connectedSeconds until the last client received its CONNACK
   * @param servedSeconds until the last client also received its message
   * @param refused CONNECTs answered with a reason
   * @param unanswered connections that ended without a CONNACK
   * @param missing messages that were never delivered
   */
  record Result(
      double connectedSeconds, double servedSeconds, long refused, long unanswered, long missing) {}

  private final ClientLoops loops;
  private final List<Returning> clients = new ArrayList<>();
  private final LongAdder refused = new LongAdder();
  private final LongAdder unanswered = new LongAdder();
  private final CountDownLatch connected;
  private final CountDownLatch served;

  ReconnectLoad(ClientLoops loops, int count) {
    this.loops = loops;
    this.connected = new CountDownLatch(count);
    this.served = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      clients.add(new Returning(i));
    }
  }

  Result run() throws InterruptedException, ExecutionException, TimeoutException {
    Waves waves = new Waves();
    for (Returning client : clients) {
      waves.add(client.begin());
    }
    List<ClosedPublisher> publishers =
        IntStream.range(0, PUBLISHERS).mapToObj(this::publisher).toList();
    for (ClosedPublisher publisher : publishers) {
      waves.add(publisher.connect(loops, 0));
    }
    waves.await();
    long start = System.nanoTime();
    clients.forEach(Returning::drop);
    CompletableFuture<?>[] published =
        publishers.stream().map(ClosedPublisher::publish).toArray(CompletableFuture[]::new);
    boolean allConnected = connected.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    final double connectedSeconds = (System.nanoTime() - start) / 1e9;
    boolean allServed = allConnected && served.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    double servedSeconds = (System.nanoTime() - start) / 1e9;
    CompletableFuture.allOf(published).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    Result result =
        new Result(
            connectedSeconds,
            allServed ? servedSeconds : Double.POSITIVE_INFINITY,
            refused.sum(),
            unanswered.sum(),
            served.getCount());
    for (Returning client : clients) {
      waves.add(client.discard());
    }
    waves.await();
    return result;
  }

  /** Sends one message to each of every n-th clients. */
  private ClosedPublisher publisher(int first) {
    List<String> topics =
        IntStream.range(0, clients.size())
            .filter(number -> number % PUBLISHERS == first)
            .mapToObj(number -> clients.get(number).topic)
            .toList();
    return new ClosedPublisher("back-publisher-" + first, topics, 1, PAYLOAD_BYTES);
  }

  /** Belongs to the event loops of its consecutive connections. */
  private final class Returning implements LoadClient.Receiver {
    private final int number;
    private final String topic;
    private volatile LoadClient client;
    private volatile boolean dropped;
    private volatile boolean isServed;

    Returning(int number) {
      this.number = number;
      this.topic = "back/" + number;
      this.client = new LoadClient("back-" + number, false, this);
    }

    CompletableFuture<LoadClient> begin() {
      return loops.connect(client).thenCompose(open -> open.subscribe(topic, 1));
    }

    /** Closes without DISCONNECT, and reconnects when the connection is closed on this side. */
    void drop() {
      dropped = true;
      client.channel().close().addListener(closed -> comeBack());
    }

    private void comeBack() {
      client = new LoadClient("back-" + number, false, this);
      loops
          .connect(client)
          .whenComplete(
              (open, failure) -> {
                if (failure == null) {
                  connected.countDown();
                  return;
                }
                (failure instanceof RefusedException ? refused : unanswered).increment();
                int pause =
                    ThreadLocalRandom.current().nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS);
                loops.next().schedule(this::comeBack, pause, TimeUnit.MILLISECONDS);
              });
    }

    CompletableFuture<?> discard() {
      return loops
          .connect(new LoadClient("back-" + number, true, LoadClient.Receiver.NOTHING))
          .thenAccept(LoadClient::close);
    }

    @Override
    public void onPublish(ByteBuf payload) {
      if (dropped && !isServed) {
        isServed = true;
        served.countDown();
      }
    }

    @Override
    public void onPuback(int packetIdentifier) {
      throw new IllegalStateException("a subscriber received a PUBACK without publishing");
    }
  }
}
