package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.RefusedException;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Measures clients with persistent sessions that all lose their connections and reconnect at the
 * same time, while a QoS 1 message is sent to each of them. A refused client retries after a short
 * pause.
 */
final class ReconnectBenchmark {
  private static final int PUBLISHERS = 20;
  private static final int PAYLOAD_BYTES = 64;
  private static final int TIMEOUT_SECONDS = 60;
  private static final int MIN_PAUSE_MILLIS = 100;
  private static final int MAX_PAUSE_MILLIS = 500;

  private final ClientLoops loops;
  private final List<Client> clients;
  private final LongAdder refused = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private final CountDownLatch connected;
  private final CountDownLatch served;

  ReconnectBenchmark(ClientLoops loops, int count) {
    this.loops = loops;
    this.connected = new CountDownLatch(count);
    this.served = new CountDownLatch(count);
    this.clients = IntStream.range(0, count).mapToObj(Client::new).toList();
  }

  static void run(BenchmarkRun run) throws Exception {
    int count = run.number("clients");
    List<RunningBroker> brokers = run.startAll();
    for (int i = 0; i < run.settings().runs(); i++) {
      for (RunningBroker broker : brokers) {
        try (ClientLoops loops = broker.loops(run.settings().threads())) {
          run.add(new ReconnectBenchmark(loops, count).measure().result(broker.name()));
        }
      }
    }
  }

  /** Runs once; blocks. */
  Measurement measure() throws Exception {
    Waves.run(Waves.DEFAULT_SIZE, clients.size(), n -> clients.get(n).connect());
    List<ClosedLoopPublisher> publishers =
        IntStream.range(0, PUBLISHERS).mapToObj(this::publisher).toList();
    Waves.run(Waves.DEFAULT_SIZE, PUBLISHERS, n -> publishers.get(n).connect(loops, 0));
    final long start = System.nanoTime();
    clients.forEach(Client::closeAndReconnect);
    List<CompletableFuture<Void>> published =
        publishers.stream().map(ClosedLoopPublisher::publish).toList();
    boolean allConnected = connected.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    final double connectedSeconds = (System.nanoTime() - start) / 1e9;
    if (allConnected) {
      served.await(TIMEOUT_SECONDS, TimeUnit.SECONDS); // clients that time out are counted below
    }
    final double servedSeconds = (System.nanoTime() - start) / 1e9;
    Waves.await(published);
    Waves.run(Waves.DEFAULT_SIZE, clients.size(), n -> clients.get(n).discard());
    return new Measurement()
        .put(ResultMetric.RECONNECTED_SECONDS, connectedSeconds)
        .put(ResultMetric.SERVED_SECONDS, servedSeconds)
        .put(ResultMetric.REFUSED, refused.sum())
        .put(ResultMetric.DISCONNECTED, closed.sum())
        .faults(ResultMetric.LOST, served.getCount());
  }

  /** Creates a publisher that sends one message to each client in its share of the clients. */
  private ClosedLoopPublisher publisher(int first) {
    List<String> topics =
        IntStream.range(0, clients.size())
            .filter(number -> number % PUBLISHERS == first)
            .mapToObj(number -> clients.get(number).topic)
            .toList();
    return new ClosedLoopPublisher("back-publisher-" + first, topics, 1, PAYLOAD_BYTES, 0);
  }

  /** A client. Called on the event loop of its current connection. */
  private final class Client implements LoadClient.Receiver {
    private final String id;
    private final String topic;
    private volatile LoadClient client;
    private volatile boolean dropped;
    private volatile boolean isServed;

    Client(int number) {
      this.id = "back-" + number;
      this.topic = "back/" + number;
      this.client = new LoadClient(id, false, this);
    }

    CompletableFuture<LoadClient> connect() {
      return loops.connect(client).thenCompose(open -> open.subscribe(topic, 1));
    }

    /**
     * Closes the connection without a DISCONNECT, and reconnects as soon as the client's side is
     * closed.
     */
    void closeAndReconnect() {
      dropped = true;
      client.channel().close().addListener(done -> reconnect());
    }

    private void reconnect() {
      client = new LoadClient(id, false, this);
      loops.connect(client).whenComplete((open, failure) -> onConnected(failure));
    }

    private void onConnected(@Nullable Throwable failure) {
      if (failure == null) {
        connected.countDown();
        return;
      }
      (failure instanceof RefusedException ? refused : closed).increment();
      int pause = ThreadLocalRandom.current().nextInt(MIN_PAUSE_MILLIS, MAX_PAUSE_MILLIS);
      loops.next().schedule(this::reconnect, pause, TimeUnit.MILLISECONDS);
    }

    CompletableFuture<?> discard() {
      return loops
          .connect(new LoadClient(id, true, LoadClient.Receiver.NOTHING))
          .thenAccept(LoadClient::close);
    }

    @Override
    public void onPublish(ByteBuf payload) {
      if (dropped && !isServed) {
        isServed = true;
        served.countDown();
      }
    }
  }
}
