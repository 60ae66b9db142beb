package io.fjordmq.perf.load;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.Session;
import io.fjordmq.perf.scenario.Clients;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Leaving;
import io.fjordmq.perf.scenario.Scenario;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All clients of a scenario: who they are, how they come, what they are to get. */
final class Fleet implements Sent, AutoCloseable {
  private final Scenario scenario;
  private final ClientLoops loops;
  private final Topics topics;
  private final Payload payload;
  private final String label;
  private final Arrivals arrivals;
  private final @Nullable Publisher[] publishers;
  private final @Nullable Subscriber[] subscribers;
  private final SharedLedger shared;
  private final List<LoadClient> clients = new ArrayList<>();
  private final Map<EventLoop, Lane> lanes = new ConcurrentHashMap<>();
  private final AtomicInteger lost = new AtomicInteger();
  private final List<Leaver> leavers = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger away = new AtomicInteger();
  private final AtomicInteger departures = new AtomicInteger();
  private volatile boolean stopped;
  private volatile @Nullable Timetable timetable;

  /**
   * @param run different from any other's whose messages may still be there
   */
  Fleet(Scenario scenario, ClientLoops loops, int run) {
    this.scenario = scenario;
    this.loops = loops;
    this.label = "r" + Integer.toHexString(run);
    this.topics = new Topics(scenario, label);
    this.payload = new Payload(scenario.traffic().payloadBytes(), run);
    this.arrivals = new Arrivals(scenario.connections().perSecond());
    Clients count = scenario.clients();
    boolean mutual = scenario.flow() == Flow.MUTUAL;
    this.publishers = new Publisher[count.publishers()];
    this.subscribers =
        new Subscriber[(mutual ? count.publishers() : count.subscribers()) + count.collectors()];
    this.shared = new SharedLedger(scenario.flow() == Flow.SHARED ? count.publishers() : 0);
  }

  /** Connects everybody, whoever is to receive first; blocks until all have answers. */
  void connect() throws InterruptedException {
    Clients count = scenario.clients();
    boolean mutual = scenario.flow() == Flow.MUTUAL;
    for (int i = 0; i < count.subscribers(); i++) {
      int number = i;
      Member member = new Member(this);
      int node = i / loops.nodes(); // every way from node to node, whatever publishers do
      come(
          "s" + i,
          node,
          member,
          client -> {
            perhapsLeaves(client, member, "s", number, node, topics.ofSubscriber(number));
            return subscribe(client, member, number);
          });
    }
    for (int i = 0; i < count.collectors(); i++) {
      int place = subscribers.length - 1 - i;
      Member member = new Member(this);
      come("c" + i, i, member, client -> collect(client, member, place));
    }
    Member bystander = new Member(this);
    for (int i = 0; i < count.idle(); i++) {
      come("i" + i, i, bystander, CompletableFuture::completedFuture);
    }
    for (int i = 0; i < count.publishers(); i++) {
      int number = i;
      Member member = new Member(this);
      come(
          "p" + i,
          i,
          member,
          client -> {
            publish(client, member, number);
            List<String> filters = mutual ? topics.ofSubscriber(number) : List.of();
            perhapsLeaves(client, member, "p", number, number, filters);
            return mutual
                ? subscribe(client, member, number)
                : CompletableFuture.completedFuture(client);
          });
    }
    arrivals.await();
  }

  private void come(
      String name,
      int node,
      Member member,
      Function<LoadClient, CompletableFuture<LoadClient>> then)
      throws InterruptedException {
    LoadClient client = new LoadClient(session(name, !persistent()), member);
    synchronized (clients) {
      clients.add(client);
    }
    arrivals.next(() -> loops.connect(client, node), then);
  }

  private boolean persistent() {
    return scenario.connections().persistent();
  }

  private Session session(String name, boolean clean) {
    return new Session(
        "perf-" + label + "-" + name,
        scenario.connections().version(),
        clean,
        scenario.connections().keepAliveSeconds(),
        scenario.connections().users() ? Users.of(name) : null);
  }

  private void publish(LoadClient client, Member member, int number) {
    Publisher publisher =
        new Publisher(
            number,
            topics.ofPublisher(number),
            payload,
            scenario.traffic().qos(),
            scenario.traffic().answeredEvery(),
            scenario.connections().version(),
            client,
            lane(client));
    publishers[number] = publisher;
    member.publishes(publisher);
  }

  /** Client n of a kind, if it is one of those that leave. */
  private void perhapsLeaves(
      LoadClient client, Member member, String kind, int number, int node, List<String> filters) {
    Leaving leaving = scenario.connections().leaving();
    if (leaving.includes(number)) {
      Session session = session(kind + number, true);
      int qos = scenario.traffic().qos();
      leavers.add(new Leaver(this, loops, session, node, member, leaving, filters, qos, client));
    }
  }

  private CompletableFuture<LoadClient> subscribe(LoadClient client, Member member, int number) {
    int all = scenario.clients().publishers();
    Ledger ledger =
        switch (scenario.flow()) {
          case PAIRS -> OwnLedger.of(number);
          case MUTUAL -> OwnLedger.of(Topics.partner(number));
          case SHARED -> shared.member();
          case TOPICS -> {
            int step = scenario.clients().topics();
            yield new OwnLedger(number % step, step, all);
          }
          case CONNECTIONS -> throw new IllegalStateException("connections subscribe to nothing");
        };
    return subscribe(client, member, number, ledger, topics.ofSubscriber(number));
  }

  private CompletableFuture<LoadClient> collect(LoadClient client, Member member, int place) {
    Ledger ledger = new OwnLedger(0, 1, scenario.clients().publishers());
    return subscribe(client, member, place, ledger, topics.ofCollector());
  }

  private CompletableFuture<LoadClient> subscribe(
      LoadClient client, Member member, int place, Ledger ledger, List<String> filters) {
    Subscriber subscriber = new Subscriber(payload, ledger, lane(client));
    subscribers[place] = subscriber;
    member.subscribes(subscriber);
    return client.subscribe(filters, scenario.traffic().qos());
  }

  private Lane lane(LoadClient client) {
    return lanes.computeIfAbsent(client.channel().eventLoop(), Lane::new);
  }

  /** Everybody who publishes keeps to this from now on. After {@link #connect}. */
  void start(Timetable times) {
    timetable = times;
    for (Publisher publisher : publishers) {
      if (publisher != null) {
        publisher.lane().add(publisher);
      }
    }
    lanes.values().forEach(lane -> lane.start(times));
    leavers.forEach(Leaver::live);
  }

  /** Nothing more is due: nobody has to leave any more. */
  boolean isOver() {
    return stopped || System.nanoTime() - timetable().endNanos() > 0;
  }

  /** What comes is not counted any more. */
  boolean isStopped() {
    return stopped;
  }

  /** A client has left and will come back. */
  void left() {
    departures.incrementAndGet();
    away.incrementAndGet();
  }

  /** It has. Any thread. */
  void cameBack(LoadClient client) {
    away.decrementAndGet();
    synchronized (clients) {
      clients.add(client);
    }
  }

  /** How many clients are away for a moment. */
  int away() {
    return away.get();
  }

  /** How often one has left. */
  int departures() {
    return departures.get();
  }

  /** Whether there is anybody who sends. */
  boolean publishes() {
    return publishers.length > 0;
  }

  Timetable timetable() {
    Timetable times = timetable;
    if (times == null) {
      throw new IllegalStateException("a PUBACK came before anything was published");
    }
    return times;
  }

  Arrivals arrivals() {
    return arrivals;
  }

  Collection<Lane> lanes() {
    return lanes.values();
  }

  void lost(String reason) {
    lost.incrementAndGet();
    arrivals.note(reason);
  }

  /** Connections that ended and should not have. */
  int lost() {
    return lost.get();
  }

  /** How many messages are due by the timetable and have not been sent. */
  long heldBack(long nowNanos) {
    Timetable times = timetable();
    long behind = 0;
    for (Publisher publisher : publishers) {
      if (publisher != null) {
        behind += publisher.behind(times, nowNanos);
      }
    }
    return behind;
  }

  /** About how many messages and acknowledgements are still to come. */
  long pending(long nowNanos) {
    long sent = 0;
    long received = 0;
    long unacknowledged = 0;
    for (Lane lane : lanes.values()) {
      sent += lane.sent.get();
      received += lane.received.get() + lane.excused.get();
      unacknowledged += lane.answerable.get() - lane.acknowledged.get();
    }
    double each = scenario.deliveriesPerSecond() / scenario.publishesPerSecond();
    long deliveries = Math.max(0, (long) Math.floor(sent * each) - received);
    return heldBack(nowNanos) + deliveries + unacknowledged;
  }

  /** Ends all sending; then what has been counted can be read by the caller. */
  void stop() throws Exception {
    stopped = true;
    lanes.values().forEach(Lane::stop);
    for (Lane lane : lanes.values()) {
      lane.await();
    }
  }

  /** After {@link #stop}. */
  Missing missing() {
    Missing missing = shared.missing(this);
    for (Subscriber subscriber : subscribers) {
      if (subscriber != null) {
        missing = missing.plus(subscriber.ledger().missing(this));
      }
    }
    return missing;
  }

  /** After {@link #stop}: messages of QoS 1 or 2 whose PUBACK or PUBCOMP never came. */
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
  public boolean isAnswered(int number, int message) {
    Publisher publisher = publishers[number];
    return publisher != null && publisher.isAnswered(message);
  }

  /** Takes the persistent sessions of this run from a broker that goes on living. */
  void forget() throws InterruptedException {
    if (!persistent()) {
      return;
    }
    close();
    TimeUnit.SECONDS.sleep(1);
    Clients count = scenario.clients();
    Arrivals goodbye = new Arrivals(0);
    forget(goodbye, "s", count.subscribers());
    forget(goodbye, "c", count.collectors());
    forget(goodbye, "i", count.idle());
    forget(goodbye, "p", count.publishers());
    goodbye.await();
  }

  private void forget(Arrivals goodbye, String kind, int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      LoadClient client = new LoadClient(session(kind + i, true), LoadClient.Receiver.NOTHING);
      int node = i;
      goodbye.next(
          () -> loops.connect(client, node),
          connected -> {
            connected.close();
            return CompletableFuture.completedFuture(connected);
          });
    }
  }

  @Override
  public void close() {
    synchronized (clients) {
      for (LoadClient client : clients) {
        if (client.connected().isDone() && !client.connected().isCompletedExceptionally()) {
          client.close();
        }
      }
      clients.clear();
    }
  }
}
