package io.fjordmq.broker.simulation;

import io.fjordmq.broker.simulation.ClientPackets.Packet;
import io.fjordmq.cluster.consensus.sim.Simulation;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT client that lives as the seed says: connects, subscribes, publishes, answers late or
 * never, stops reading, loses its connection in the middle of a packet, connects a second time
 * while the broker still believes in the first. It keeps what a client has to keep, so that it
 * knows what it may expect.
 */
final class ModelClient {
  private static final int MAX_PAUSE_MILLIS = 120;
  private static final int CONNECT_PATIENCE_MILLIS = 4_000;
  private static final int PING_MILLIS = 2_000;
  private static final int KEEP_ALIVE_SECONDS = 5;
  private static final long EXPIRY_SECONDS = 50_000;

  /**
   * Who it is.
   *
   * @param level 4 (MQTT 3.1.1) or 5
   * @param receiveMaximum said in the CONNECT by MQTT 5 clients
   */
  record Character(String clientId, int level, boolean persistent, int receiveMaximum) {}

  private final Simulation simulation;
  private final Character self;
  private final Ledger ledger;
  private final Supplier<@Nullable SimBroker> broker;
  private final List<String> topics;
  private final List<String> filters;
  private final ModelPublisher publisher;
  private final ModelSubscriber subscriber;
  private @Nullable Connection connection;
  // The broker has said that it keeps the session.
  private boolean sessionKnown;
  // It has begun to start anew, and does so until the broker has said that it did.
  private boolean cleaning;
  private boolean peaceful;
  private boolean gone;
  private int connections;
  private int subscribeIdentifiers;

  ModelClient(
      Simulation simulation,
      Character self,
      Ledger ledger,
      Supplier<@Nullable SimBroker> broker,
      List<String> topics,
      List<String> filters) {
    this.simulation = simulation;
    this.self = self;
    this.ledger = ledger;
    this.broker = broker;
    this.topics = topics;
    this.filters = filters;
    this.publisher = new ModelPublisher(ledger, self.clientId(), self.level());
    int receiveMaximum = self.level() == 5 ? self.receiveMaximum() : SimSettings.MAX_INFLIGHT;
    this.subscriber =
        new ModelSubscriber(
            ledger,
            Math.min(receiveMaximum, SimSettings.MAX_INFLIGHT),
            ledger.newSession(self.clientId()));
    next();
  }

  String clientId() {
    return self.clientId();
  }

  private void next() {
    simulation.schedule(simulation.between(1, MAX_PAUSE_MILLIS), this::live);
  }

  private void live() {
    Connection current = connection;
    if (gone) {
      return;
    }
    if (current == null) {
      if (peaceful || simulation.chance(40)) {
        connect();
      }
    } else if (!current.accepted) {
      if (simulation.now() - current.startedMillis > CONNECT_PATIENCE_MILLIS) {
        leave(SimLink.Cut.CLOSED);
      } else if (!peaceful && simulation.chance(2)) {
        leave(SimLink.Cut.RESET);
      }
    } else if (!peaceful) {
      act(current);
    }
    next();
  }

  private void act(Connection current) {
    double dice = simulation.random().nextDouble() * 100;
    if (dice < 55) {
      publish(current);
    } else if (dice < 60) {
      for (int i = 0; i < 6; i++) {
        publish(current);
      }
    } else if (dice < 68) {
      subscribe(current);
    } else if (dice < 70) {
      unsubscribe(current);
    } else if (dice < 73) {
      current.link.pause();
      simulation.schedule(simulation.between(1, 2_000), current.link::resume);
    } else if (dice < 74) {
      current.silent = true;
    } else if (dice < 78) {
      leave(pick(List.of(SimLink.Cut.values())));
    } else if (dice < 79) {
      current.send("DISCONNECT", ClientPackets.disconnect(self.level(), false));
      leave(SimLink.Cut.CLOSED);
    } else if (dice < 80) {
      connect(); // the first connection is left as if this client had lost its memory of it
    }
  }

  private <T> T pick(List<T> from) {
    return from.get((int) simulation.between(0, from.size() - 1L));
  }

  // ---- what it does

  private void publish(Connection current) {
    if (publisher.mayPublish()) {
      int qos = (int) simulation.between(0, 2);
      publisher.publish(pick(topics), qos, simulation.chance(10), current.link::fromClient);
    }
  }

  private void subscribe(Connection current) {
    int identifier = 1_000 + ++subscribeIdentifiers;
    subscribe(current, identifier, pick(filters), (int) simulation.between(0, 2));
  }

  private void subscribe(Connection current, int identifier, String filter, int qos) {
    current.withdraw(filter, qos);
    current.subscribing.put(identifier, new Wish(filter, qos));
    subscriber.session().asked(filter, qos);
    current.send(
        "SUBSCRIBE " + identifier + " " + filter + " q" + qos,
        ClientPackets.subscribe(self.level(), identifier, filter, qos));
  }

  private void unsubscribe(Connection current) {
    List<String> mine = List.copyOf(subscriber.session().filters());
    if (!mine.isEmpty()) {
      int identifier = 1_000 + ++subscribeIdentifiers;
      String filter = pick(mine);
      current.withdraw(filter, -1);
      subscriber.session().unsubscribing(filter);
      current.send(
          "UNSUBSCRIBE " + identifier + " " + filter,
          ClientPackets.unsubscribe(self.level(), identifier, filter));
    }
  }

  private void connect() {
    SimBroker target = broker.get();
    if (target == null || !target.isListening()) {
      return;
    }
    leave(SimLink.Cut.UNNOTICED);
    cleaning |= !peaceful && simulation.chance(4);
    boolean clean = !self.persistent() || cleaning;
    Connection fresh = new Connection(clean);
    connection = fresh;
    target.accept(fresh.link);
    if (clean) {
      newSession();
    }
    fresh.send(
        "CONNECT" + (clean ? " clean" : ""),
        ClientPackets.connect(
            self.level(),
            self.clientId(),
            clean,
            KEEP_ALIVE_SECONDS,
            self.persistent() ? EXPIRY_SECONDS : 0,
            self.receiveMaximum(),
            null));
    fresh.keepAlive();
  }

  private void newSession() {
    subscriber.newSession(ledger.newSession(self.clientId()));
    sessionKnown = false;
  }

  private void leave(SimLink.Cut how) {
    Connection current = connection;
    if (current != null) {
      ledger.note(self.clientId() + " leaves: " + how);
      connection = null;
      current.link.leave(how);
      if (current.endsSession()) {
        newSession();
        publisher.forget();
      }
    }
  }

  // ---- peace

  /** From now on it stays connected, reads, answers and does nothing of its own. */
  void rest() {
    peaceful = true;
    Connection current = connection;
    if (current != null) {
      current.link.resume();
      if (current.silent) {
        leave(SimLink.Cut.RESET);
      }
    }
  }

  boolean isAtRest() {
    return connection != null && connection.accepted && publisher.isIdle();
  }

  List<String> topics() {
    return topics;
  }

  /** One message to each of the topics. */
  void publishTo(List<String> which, int qos) {
    Connection current = connection;
    if (current != null) {
      which.forEach(topic -> publisher.publish(topic, qos, false, current.link::fromClient));
    }
  }

  /** Subscribes to the filter alone. */
  void subscribeTo(String filter) {
    Connection current = connection;
    if (current != null) {
      subscribe(current, 1, filter, 1);
    }
  }

  /** True if it holds a subscription that was granted. */
  boolean isSubscribed() {
    return !subscriber.session().filters().isEmpty();
  }

  /** Of its session, which is not replaced any more. */
  @Nullable Publication retained(String topic) {
    return subscriber.session().newestRetained(topic);
  }

  /** Ends its session: MQTT 5 with the DISCONNECT, MQTT 3 by a clean session after it. */
  void endSession() {
    Connection current = connection;
    if (current == null) {
      return;
    }
    subscriber.session().end();
    current.send("DISCONNECT, end", ClientPackets.disconnect(self.level(), true));
    leave(SimLink.Cut.CLOSED);
    cleaning = self.level() == 4 && !current.endsSession();
    gone = !cleaning;
  }

  /** It does not come back. */
  boolean isGone() {
    return gone;
  }

  private record Wish(String filter, int qos) {}

  /** One connection and what belongs to it. */
  private final class Connection implements SimLink.Client {
    final SimLink link;
    final long startedMillis = simulation.now();
    // By packet identifier; null if it was withdrawn meanwhile.
    final Map<Integer, @Nullable Wish> subscribing = new HashMap<>();
    private final ClientPackets.Reader reader = new ClientPackets.Reader();
    private final ArrayDeque<Runnable> answers = new ArrayDeque<>();
    private final boolean clean;
    boolean accepted;
    // It answers nothing any more.
    boolean silent;

    Connection(boolean clean) {
      this.clean = clean;
      int buffer = (int) (simulation.chance(20) ? 32 : simulation.between(100, 10_000));
      link = new SimLink(simulation, self.clientId() + "#" + ++connections, buffer, this);
    }

    /** The session ends with this connection. */
    boolean endsSession() {
      return !self.persistent() || (clean && self.level() == 4);
    }

    void send(String text, byte[] bytes) {
      ledger.note(link.name() + " -> " + text);
      link.fromClient(bytes);
    }

    /** What was asked for and is not answered no longer counts above this QoS. */
    void withdraw(String filter, int qos) {
      subscribing.replaceAll(
          (identifier, wish) ->
              wish != null && wish.filter.equals(filter) && wish.qos > qos ? null : wish);
    }

    void keepAlive() {
      if (connection == this) {
        if (accepted) {
          link.fromClient(ClientPackets.ping());
        }
        simulation.schedule(PING_MILLIS, this::keepAlive);
      }
    }

    @Override
    public void ended() {
      if (connection == this) {
        ledger.note(link.name() + " is closed by the broker");
        leave(SimLink.Cut.CLOSED);
      }
    }

    @Override
    public void arrived(byte[] bytes) {
      if (connection != this) {
        return;
      }
      reader.add(bytes);
      for (Packet packet = reader.next();
          packet != null && connection == this;
          packet = reader.next()) {
        on(packet);
      }
    }

    private void on(Packet packet) {
      if (!accepted && packet.type() != ClientPackets.CONNACK) {
        throw ledger.violated(link.name() + " got a packet before its CONNACK");
      }
      switch (packet.type()) {
        case ClientPackets.CONNACK -> onConnAck(packet.body().get() == 1, packet.body().get());
        case ClientPackets.PUBLISH -> {
          ClientPackets.Received received = ClientPackets.received(self.level(), packet);
          ledger.note(link.name() + " <- " + received);
          subscriber.onPublish(received, this::answer);
        }
        case ClientPackets.PUBACK -> {
          int identifier = noted("PUBACK", packet);
          publisher.onAcknowledged(identifier, reasonCode(packet));
        }
        case ClientPackets.PUBREC -> {
          int identifier = noted("PUBREC", packet);
          publisher.onReceived(
              identifier, reasonCode(packet), release -> later(() -> link.fromClient(release)));
        }
        case ClientPackets.PUBREL -> subscriber.onRelease(noted("PUBREL", packet), this::answer);
        case ClientPackets.PUBCOMP -> publisher.onComplete(noted("PUBCOMP", packet));
        case ClientPackets.SUBACK -> onSubAck(noted("SUBACK", packet), packet);
        case ClientPackets.UNSUBACK -> {
          noted("UNSUBACK", packet);
          subscriber.session().changed();
        }
        case ClientPackets.DISCONNECT -> ledger.note(link.name() + " <- DISCONNECT");
        default -> {
          // PINGRESP says nothing.
        }
      }
    }

    private int noted(String type, Packet packet) {
      int identifier = packet.body().getShort() & 0xFFFF;
      ledger.note(link.name() + " <- " + type + " " + identifier);
      return identifier;
    }

    private int reasonCode(Packet packet) {
      return packet.body().hasRemaining() ? packet.body().get() & 0xFF : 0;
    }

    private void onConnAck(boolean present, int code) {
      ledger.note(link.name() + " <- CONNACK " + code + (present ? " present" : ""));
      if (code != 0) {
        leave(SimLink.Cut.CLOSED);
        return;
      }
      if (clean ? present : sessionKnown && !present) {
        throw ledger.violated(
            link.name() + ": session present is " + present + " after clean start " + clean);
      }
      accepted = true;
      cleaning = false;
      if (!present && !clean) {
        newSession();
      }
      sessionKnown = !endsSession();
      subscriber.connected();
      publisher.connected(present, link::fromClient);
    }

    private void onSubAck(int identifier, Packet packet) {
      if (self.level() == 5) {
        packet.body().position(packet.body().position() + 1 + packet.body().get(2));
      }
      int code = packet.body().get() & 0xFF;
      if (!subscribing.containsKey(identifier)) {
        throw ledger.violated(link.name() + " has not sent SUBSCRIBE " + identifier);
      }
      Wish wish = subscribing.remove(identifier);
      subscriber.session().changed();
      if (code < 0x80 && wish != null) {
        subscriber.session().granted(wish.filter, code);
      }
    }

    /** Answers leave in order, each when the client gets to it. */
    private void answer(int type, int identifier, Runnable sent) {
      later(
          () -> {
            sent.run();
            send("answer " + type + " " + identifier, ClientPackets.reply(type, identifier));
          });
    }

    private void later(Runnable answer) {
      answers.add(answer);
      long delay = peaceful || simulation.chance(50) ? 0 : simulation.between(0, 100);
      simulation.schedule(delay, this::answerNext);
    }

    private void answerNext() {
      Runnable answer = answers.poll();
      if (answer != null && connection == this && !silent) {
        answer.run();
      }
    }
  }
}
