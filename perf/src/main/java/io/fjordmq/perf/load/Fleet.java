package io.fjordmq.perf.load;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.check.Ledger;
import io.fjordmq.perf.check.Missing;
import io.fjordmq.perf.check.QosMix;
import io.fjordmq.perf.check.SentMessages;
import io.fjordmq.perf.check.SharedLedger;
import io.fjordmq.perf.check.SubscriberLedger;
import io.fjordmq.perf.scenario.ClientChurn;
import io.fjordmq.perf.scenario.Clients;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Scenario;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All clients of a scenario: their identities, connections and expected messages. */
final class Fleet implements SentMessages, AutoCloseable {
  private final Scenario scenario;
  private final ClientLoops loops;
  private final Topics topics;
  private final Users users;
  private final Payload payload;
  private final String label;
  private final Arrivals arrivals;
  private final ConnectionCounts connectionCounts;
  private final @Nullable LastDeliveries lastDeliveries;
  private final @Nullable Publisher[] publishers;
  private final @Nullable Subscriber[] subscribers;
  private final QosMix mix;
  private final SharedLedger shared;
  private final List<LoadClient> clients = new ArrayList<>();
  private final Map<EventLoop, EventLoopLoad> loopLoads = new ConcurrentHashMap<>();
  private final List<ChurningClient> churningClients =
      Collections.synchronizedList(new ArrayList<>());
  private volatile boolean stopped;
  private volatile @Nullable Schedule schedule;

  /**
   * @param run distinguishes this run from other runs whose messages may still arrive
   */
  Fleet(Scenario scenario, ClientLoops loops, int run) {
    this.scenario = scenario;
    this.loops = loops;
    this.label = "r" + Integer.toHexString(run);
    this.topics = new Topics(scenario, label);
    this.users = new Users(scenario);
    this.payload = new Payload(scenario.traffic().payloadBytes(), run);
    this.arrivals = new Arrivals(scenario.connections().perSecond());
    this.connectionCounts = new ConnectionCounts(arrivals);
    Clients count = scenario.clients();
    boolean mutual = scenario.flow() == Flow.MUTUAL;
    this.lastDeliveries =
        count.publishers() == 1 && count.subscribers() > 1 ? new LastDeliveries() : null;
    this.publishers = new Publisher[count.publishers()];
    this.subscribers =
        new Subscriber[(mutual ? count.publishers() : count.subscribers()) + count.collectors()];
    this.mix = new QosMix(scenario.traffic().acknowledgedEvery());
    this.shared = new SharedLedger(scenario.flow() == Flow.SHARED ? count.publishers() : 0, mix);
  }

  /** Connects all clients, subscribers first. Blocks until all are connected or have failed. */
  void connect() throws InterruptedException {
    Clients count = scenario.clients();
    boolean mutual = scenario.flow() == Flow.MUTUAL;
    for (int i = 0; i < count.subscribers(); i++) {
      int number = i;
      LoadRole loadRole = new LoadRole(this);
      // Publisher i connects to node i modulo the number of nodes. With the quotient, the pairs
      // cover all paths between nodes.
      int node = count.apart() ? i + 1 : i / loops.nodes();
      connectClient(
          "s" + i,
          node,
          loadRole,
          client -> subscribe(client, loadRole, number),
          client -> {
            subscribers[number] = loadRole.subscriber();
            withChurn(client, loadRole, "s", number, node, topics.ofSubscriber(number));
          });
    }
    for (int i = 0; i < count.collectors(); i++) {
      int slot = subscribers.length - 1 - i;
      LoadRole loadRole = new LoadRole(this);
      connectClient(
          "c" + i,
          i,
          loadRole,
          client -> collect(client, loadRole),
          client -> subscribers[slot] = loadRole.subscriber());
    }
    for (int i = 0; i < count.idle(); i++) {
      connectClient(
          "i" + i, i, new LoadRole(this), CompletableFuture::completedFuture, client -> {});
    }
    for (int i = 0; i < count.publishers(); i++) {
      int number = i;
      LoadRole loadRole = new LoadRole(this);
      connectClient(
          "p" + i,
          i,
          loadRole,
          client -> {
            publish(client, loadRole, number);
            return mutual
                ? subscribe(client, loadRole, number)
                : CompletableFuture.completedFuture(client);
          },
          client -> {
            publishers[number] = loadRole.publisher();
            List<String> filters = mutual ? topics.ofSubscriber(number) : List.of();
            if (mutual) {
              subscribers[number] = loadRole.subscriber();
            }
            withChurn(client, loadRole, "p", number, number, filters);
          });
    }
    arrivals.await();
  }

  /**
   * Connects another client.
   *
   * @param then further steps after the CONNACK
   * @param onConnected called if all steps succeed; otherwise, only the reason for the failure is
   *     kept
   */
  private void connectClient(
      String name,
      int node,
      LoadRole loadRole,
      Function<LoadClient, CompletableFuture<LoadClient>> then,
      Consumer<LoadClient> onConnected)
      throws InterruptedException {
    if (stopped) {
      return;
    }
    boolean clean = !scenario.connections().persistent();
    LoadClient client = new LoadClient(connectSettings(name, clean), loadRole);
    synchronized (clients) {
      clients.add(client);
    }
    arrivals.connectNext(
        name,
        () -> loops.connect(client, node),
        then,
        connected -> {
          onConnected.accept(connected);
          loadRole.onConnected();
        },
        // The client may be connected, now or later.
        () -> client.connected().thenAccept(LoadClient::close));
  }

  /** Returns the CONNECT settings of the named client. */
  ConnectSettings connectSettings(String name, boolean clean) {
    return new ConnectSettings(
        "perf-" + label + "-" + name,
        scenario.connections().version(),
        clean,
        scenario.connections().keepAliveSeconds(),
        users.credentials(name));
  }

  private void publish(LoadClient client, LoadRole loadRole, int number) {
    Publisher publisher =
        new Publisher(
            number,
            topics.ofPublisher(number),
            payload,
            scenario.traffic().qos(),
            mix,
            scenario.connections().version(),
            client,
            loopLoad(client));
    loadRole.setPublisher(publisher);
  }

  /** Makes client n of a kind disconnect and reconnect, if the scenario requires it. */
  private void withChurn(
      LoadClient client,
      LoadRole loadRole,
      String kind,
      int number,
      int node,
      List<String> filters) {
    ClientChurn clientChurn = scenario.connections().clientChurn();
    if (clientChurn.includes(number)) {
      ConnectSettings connectSettings = connectSettings(kind + number, true);
      int qos = scenario.traffic().qos();
      churningClients.add(
          new ChurningClient(
              this, loops, connectSettings, node, loadRole, clientChurn, filters, qos, client));
    }
  }

  private CompletableFuture<LoadClient> subscribe(
      LoadClient client, LoadRole loadRole, int number) {
    int all = scenario.clients().publishers();
    Ledger ledger =
        switch (scenario.flow()) {
          case PAIRS -> SubscriberLedger.of(number, mix);
          case MUTUAL -> SubscriberLedger.of(Topics.partner(number), mix);
          case SHARED -> shared.member();
          case TOPICS -> {
            int step = scenario.clients().topics();
            yield new SubscriberLedger(number % step, step, all, mix);
          }
          case CONNECTIONS -> throw new IllegalStateException("CONNECTIONS has no subscribers");
        };
    return subscribe(client, loadRole, ledger, topics.ofSubscriber(number));
  }

  private CompletableFuture<LoadClient> collect(LoadClient client, LoadRole loadRole) {
    Ledger ledger = new SubscriberLedger(0, 1, scenario.clients().publishers(), mix);
    return subscribe(client, loadRole, ledger, topics.ofCollector());
  }

  private CompletableFuture<LoadClient> subscribe(
      LoadClient client, LoadRole loadRole, Ledger ledger, List<String> filters) {
    loadRole.setSubscriber(new Subscriber(payload, ledger, loopLoad(client), lastDeliveries));
    return client.subscribe(filters, scenario.traffic().qos());
  }

  private EventLoopLoad loopLoad(LoadClient client) {
    return loopLoads.computeIfAbsent(
        client.channel().eventLoop(),
        loop -> new EventLoopLoad(loop, scenario.traffic().batchMillis()));
  }

  /** Returns the connected clients. Must be called after {@link #connect}. */
  ConnectedClients connectedClients() {
    return ConnectedClients.of(
        scenario, number -> publishers[number] != null, slot -> subscribers[slot] != null);
  }

  /** Starts publishing on the given schedule. Must be called after {@link #connect}. */
  void start(Schedule publishSchedule) {
    schedule = publishSchedule;
    for (Publisher publisher : publishers) {
      if (publisher != null) {
        publisher.loopLoad().add(publisher);
      }
    }
    // All must know it before any of them starts.
    loopLoads.values().forEach(loop -> loop.countFrom(publishSchedule.countedNanos()));
    loopLoads.values().forEach(loop -> loop.start(publishSchedule));
    churningClients.forEach(ChurningClient::start);
  }

  /** Returns whether publishing has started. */
  boolean hasStarted() {
    return schedule != null;
  }

  /** Returns whether the schedule has ended, so that churning clients no longer disconnect. */
  boolean isOver() {
    return stopped || System.nanoTime() - requireSchedule().endNanos() > 0;
  }

  /** Returns whether publishing and connecting have been stopped. */
  boolean isStopped() {
    return stopped;
  }

  /** Called when a client has reconnected. May be called on any thread. */
  void onReconnected(LoadClient client) {
    connectionCounts.onReconnected();
    synchronized (clients) {
      clients.add(client);
    }
  }

  /** Returns whether any client has to publish. */
  boolean hasPublishers() {
    return publishers.length > 0;
  }

  Schedule requireSchedule() {
    Schedule publishSchedule = schedule;
    if (publishSchedule == null) {
      throw new IllegalStateException("unexpected PUBACK: nothing was published yet");
    }
    return publishSchedule;
  }

  Arrivals arrivals() {
    return arrivals;
  }

  Collection<EventLoopLoad> loopLoads() {
    return loopLoads.values();
  }

  ConnectionCounts connectionCounts() {
    return connectionCounts;
  }

  /**
   * Returns the delays until the last subscriber had each message; null unless a single publisher
   * has several subscribers.
   */
  @Nullable LastDeliveries lastDeliveries() {
    return lastDeliveries;
  }

  /** Returns the number of messages received by subscribers so far. */
  long received() {
    return loopLoads.values().stream().mapToLong(loopLoad -> loopLoad.received.get()).sum();
  }

  /** Returns the number of messages that are due but not sent yet. */
  long overdueMessages(long nowNanos) {
    Schedule publishSchedule = requireSchedule();
    long overdue = 0;
    for (Publisher publisher : publishers) {
      if (publisher != null) {
        overdue += publisher.overdue(publishSchedule, nowNanos);
      }
    }
    return overdue;
  }

  /**
   * Returns the approximate number of outstanding messages and acknowledgements.
   *
   * @param connectedClients the connected clients
   */
  long pending(ConnectedClients connectedClients, long nowNanos) {
    long sent = 0;
    long received = 0;
    long unacknowledged = 0;
    for (EventLoopLoad loopLoad : loopLoads.values()) {
      sent += loopLoad.sent.get();
      received += loopLoad.received.get() + loopLoad.excused.get();
      unacknowledged += loopLoad.acknowledgeable.get() - loopLoad.acknowledged.get();
    }
    double deliveriesPerPublish =
        connectedClients.deliveriesPerSecond() / connectedClients.publishesPerSecond();
    long deliveries = Math.max(0, (long) Math.floor(sent * deliveriesPerPublish) - received);
    return overdueMessages(nowNanos) + deliveries + unacknowledged;
  }

  /** Stops publishing and connecting. May be called on any thread. */
  void requestStop() {
    stopped = true;
    loopLoads.values().forEach(EventLoopLoad::stop);
  }

  /**
   * Stops publishing and waits for the event loops, so that the caller then sees the latest values
   * of all counters.
   */
  void stop() throws Exception {
    requestStop();
    for (EventLoopLoad loopLoad : loopLoads.values()) {
      loopLoad.await();
    }
  }

  /** Returns the missing messages. Must be called after {@link #stop}. */
  Missing missing() {
    // If no subscriber is connected, no delivery is missing.
    boolean hasSubscribers = Arrays.stream(subscribers).anyMatch(Objects::nonNull);
    Missing missing = hasSubscribers ? shared.missing(this) : Missing.NONE;
    for (Subscriber subscriber : subscribers) {
      if (subscriber != null) {
        missing = missing.plus(subscriber.ledger().missing(this));
      }
    }
    return missing;
  }

  /**
   * Returns the number of messages with QoS 1 or 2 that have no PUBACK or PUBCOMP. Must be called
   * after {@link #stop}.
   */
  long unacknowledged() {
    return Arrays.stream(publishers)
        .mapToLong(publisher -> publisher == null ? 0 : publisher.unacknowledged())
        .sum();
  }

  @Override
  public int count(int number) {
    Publisher publisher = publishers[number];
    return publisher == null ? 0 : publisher.sent();
  }

  @Override
  public boolean isAcknowledged(int number, int message) {
    Publisher publisher = publishers[number];
    return publisher != null && publisher.isAcknowledged(message);
  }

  @Override
  public void close() {
    synchronized (clients) {
      clients.stream().filter(LoadClient::isAccepted).forEach(LoadClient::close);
      clients.clear();
    }
  }
}
