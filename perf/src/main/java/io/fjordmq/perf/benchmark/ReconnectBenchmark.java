package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.ConnectSettings.Credentials;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.RefusedException;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.Users;
import io.fjordmq.perf.scenario.ClientUsers;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.UsageException;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.perf.users.UserServices;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures clients with persistent sessions that all lose their connections and reconnect at the
 * same time, while a QoS 1 message is sent to each of them. A refused client retries after a short
 * pause. Clients are anonymous, or have users of a provider whose results are cached by one node
 * and not by the other.
 */
final class ReconnectBenchmark {
  private static final int PUBLISHERS = 20;
  private static final int PAYLOAD_BYTES = 64;
  private static final int TIMEOUT_SECONDS = 60;
  private static final int MIN_PAUSE_MILLIS = 100;
  private static final int MAX_PAUSE_MILLIS = 500;

  /** The credentials of clients. */
  interface UserNames {
    /** Returns null for an anonymous client. */
    @Nullable Credentials credentials(String client);
  }

  private final ClientLoops loops;
  private final UserNames users;
  private final List<Client> clients;
  private final List<ClosedLoopPublisher> publishers;
  private final LongAdder refused = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private final CountDownLatch connected;
  private final CountDownLatch served;

  /**
   * @param users credentials of the named client: s0, s1 and so on may receive {@code perf/+/0} and
   *     so on, {@link Users#ADMIN} may publish everything
   */
  ReconnectBenchmark(ClientLoops loops, int count, UserNames users) {
    this.loops = loops;
    this.users = users;
    this.connected = new CountDownLatch(count);
    this.served = new CountDownLatch(count);
    this.clients = IntStream.range(0, count).mapToObj(Client::new).toList();
    this.publishers = IntStream.range(0, PUBLISHERS).mapToObj(this::publisher).toList();
  }

  static void run(BenchmarkRun run) throws Exception {
    int count = run.number("clients");
    // The slow hashes of so many users would take longer than clients wait.
    List<UserStore> stores =
        Stream.of(UserStore.values()).filter(store -> !store.isInCluster()).toList();
    UserStore store = run.userStore("provider", stores);
    boolean anonymous = store == UserStore.NONE;
    if (!anonymous && !run.settings().brokers().equals(List.of(BrokerSpec.FJORDMQ))) {
      throw new UsageException("with --set provider, reconnect measures FjordMQ only");
    }
    Scenario scenario = scenario(run, count, store);
    List<RunningBroker> brokers = anonymous ? run.startAll() : startBoth(run, scenario);
    // Without users, the brokers have been warmed up with another load.
    for (int i = anonymous ? 1 : 0; i <= run.settings().runs(); i++) {
      for (RunningBroker broker : brokers) {
        Measurement measured = measure(run, broker, new Users(scenario)::credentials, count);
        if (i > 0) {
          run.add(measured.result(broker.name()));
        }
      }
    }
  }

  private static Scenario scenario(BenchmarkRun run, int count, UserStore store) {
    return run.scenario("true_%d_%d_qos1_p32_1mps_1n".formatted(count, count))
        .with(new ClientUsers(store, 0));
  }

  private static List<RunningBroker> startBoth(BenchmarkRun run, Scenario scenario)
      throws Exception {
    UserStore store = scenario.connections().users().store();
    int users = 2 * scenario.clients().publishers();
    List<RunningBroker> brokers = new ArrayList<>();
    for (int cacheSize : store.isCacheable() ? List.of(0, users) : List.of(0)) {
      String name = store + (cacheSize == 0 ? ", not cached" : ", cached");
      String settings =
          BrokerSpec.UNLIMITED_RATES + "\n" + UserServices.cacheSettings(store, cacheSize);
      brokers.add(run.start(run.spec(name, scenario, settings)));
    }
    return brokers;
  }

  private static Measurement measure(
      BenchmarkRun run, RunningBroker broker, UserNames users, int count) throws Exception {
    try (ClientLoops loops = broker.loops(run.settings().threads())) {
      ReconnectBenchmark benchmark = new ReconnectBenchmark(loops, count, users);
      benchmark.connect();
      LoginCost cost = LoginCost.begin(broker);
      Measurement measurement = benchmark.reconnect();
      cost.addTo(measurement, count);
      benchmark.discard();
      return measurement;
    }
  }

  /** Connects all clients for the first time. Blocks. */
  void connect() throws Exception {
    Waves.run(Waves.DEFAULT_SIZE, clients.size(), n -> clients.get(n).connect());
    Waves.run(Waves.DEFAULT_SIZE, PUBLISHERS, n -> publishers.get(n).connect(loops, 0));
  }

  /** Closes the connections of all clients and waits until they are served again. Blocks. */
  Measurement reconnect() throws Exception {
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
    return new Measurement()
        .put(ResultMetric.RECONNECTED_SECONDS, connectedSeconds)
        .put(ResultMetric.SERVED_SECONDS, servedSeconds)
        .put(ResultMetric.REFUSED, refused.sum())
        .put(ResultMetric.DISCONNECTED, closed.sum())
        .faults(ResultMetric.LOST, served.getCount());
  }

  /** Removes the sessions of all clients. Blocks. */
  void discard() throws Exception {
    Waves.run(Waves.DEFAULT_SIZE, clients.size(), n -> clients.get(n).discard());
  }

  private ConnectSettings connectSettings(String clientId, boolean clean, String user) {
    return new ConnectSettings(clientId, ConnectSettings.MQTT_3, clean, 0, users.credentials(user));
  }

  /** Creates a publisher that sends one message to each client in its share of the clients. */
  private ClosedLoopPublisher publisher(int first) {
    List<String> topics =
        IntStream.range(0, clients.size())
            .filter(number -> number % PUBLISHERS == first)
            .mapToObj(number -> clients.get(number).topic)
            .toList();
    ConnectSettings settings = connectSettings("back-publisher-" + first, true, Users.ADMIN);
    return new ClosedLoopPublisher(settings, topics, 1, PAYLOAD_BYTES, 0);
  }

  /** A client. Called on the event loop of its current connection. */
  private final class Client implements LoadClient.Receiver {
    private final String id;
    private final String user;
    private final String topic;
    private volatile LoadClient client;
    private volatile boolean dropped;
    private volatile boolean isServed;

    Client(int number) {
      this.id = "back-" + number;
      this.user = "s" + number;
      this.topic = "perf/back/" + number;
      this.client = new LoadClient(connectSettings(id, false, user), this);
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
      client = new LoadClient(connectSettings(id, false, user), this);
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
          .connect(new LoadClient(connectSettings(id, true, user), LoadClient.Receiver.NOTHING))
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
