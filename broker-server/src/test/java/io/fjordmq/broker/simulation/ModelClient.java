package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT client that lives as the seed says: connects, subscribes, publishes, answers late or
 * never, stops reading, loses its connection in the middle of a packet, connects a second time
 * while the broker still believes in the first. It keeps what a client has to keep, so that it
 * knows what it may expect.
 */
final class ModelClient {
  private static final int MAX_PAUSE_MILLIS = 120;
  private static final int MAX_CALM_PAUSE_MILLIS = 1_000;
  private static final int CONNECT_TIMEOUT_MILLIS = 4_000;

  /** A node that stands still takes a CONNECT that long after, and a store that long to do it. */
  private static final int GIVEN_UP_TRY_MILLIS = 4_000 + 10_000;

  /** A node that is cut off serves for as long as its lease holds, and ends connections after. */
  private static final long OTHERS_KNOW_AFTER_MILLIS = 3_000;

  private static final int KEEP_ALIVE_SECONDS = 5;

  private enum Mood {
    /** Does anything. */
    WILD,
    /** Stays connected, reads, answers and does nothing of its own. */
    CALM,
    /** Does not come back. */
    AWAY
  }

  private final Simulation simulation;
  private final Character self;
  private final Ledger ledger;
  private final Brokers brokers;
  private final List<String> topics;
  private final List<String> filters;
  private final ModelPublisher publisher;
  private final ModelSubscriber subscriber;
  private Mood mood = Mood.WILD;
  private boolean living;
  private int willPercent;
  private @Nullable ModelConnection connection;
  // The last one that was accepted.
  private @Nullable ModelConnection former;
  // The broker has said that it keeps the session.
  private boolean sessionKnown;
  // It has begun to start anew, and does so until the broker has said that it did.
  private boolean cleaning;
  private boolean sessionPresent;
  private int triesSinceFormer;
  // A connection with clean start of which it has heard nothing, and perhaps never will.
  private boolean cleanTryGivenUp;
  private long cleanTryGivenUpAtMillis;
  // Until then, a node may carry out a CONNECT that it gave up.
  private long lateTriesUntilMillis;
  private int connections;
  private int subscribeIdentifiers;

  /**
   * @param topics it publishes to; nobody else does
   * @param filters it subscribes to
   */
  ModelClient(
      Simulation simulation,
      Character self,
      Ledger ledger,
      Brokers brokers,
      List<String> topics,
      List<String> filters) {
    this.simulation = simulation;
    this.self = self;
    this.ledger = ledger;
    this.brokers = brokers;
    this.topics = topics;
    this.filters = filters;
    this.publisher = new ModelPublisher(ledger, self.clientId(), self.level());
    int receiveMaximum = self.level() == 5 ? self.receiveMaximum() : SimSettings.MAX_INFLIGHT;
    this.subscriber =
        new ModelSubscriber(
            ledger,
            Math.min(receiveMaximum, SimSettings.MAX_INFLIGHT),
            ledger.newSession(self.clientId(), self.isPersistent()));
    next();
  }

  Simulation simulation() {
    return simulation;
  }

  Character character() {
    return self;
  }

  String clientId() {
    return self.clientId();
  }

  Ledger ledger() {
    return ledger;
  }

  ModelPublisher publisher() {
    return publisher;
  }

  ModelSubscriber subscriber() {
    return subscriber;
  }

  Moment now() {
    return brokers.now();
  }

  boolean isConnectedBy(ModelConnection one) {
    return connection == one;
  }

  int thinkingMillis() {
    return mood != Mood.WILD || simulation.chance(50) ? 0 : (int) simulation.between(0, 100);
  }

  private void next() {
    living = true;
    boolean busy = mood == Mood.WILD || !isConnected();
    long longest = busy ? MAX_PAUSE_MILLIS : MAX_CALM_PAUSE_MILLIS;
    simulation.schedule(simulation.between(1, longest), this::live);
  }

  private void live() {
    ModelConnection current = connection;
    if (mood == Mood.AWAY) {
      living = false;
      return;
    }
    if (current == null) {
      if (mood == Mood.CALM || simulation.chance(40)) {
        connect();
      }
    } else if (!current.isAccepted()) {
      if (now().millis() - current.started().millis() > CONNECT_TIMEOUT_MILLIS) {
        leave(SimLink.Cut.CLOSED);
      } else if (mood == Mood.WILD && simulation.chance(2)) {
        leave(SimLink.Cut.RESET);
      }
    } else if (mood == Mood.WILD && !current.isFrozen()) {
      act(current);
    }
    next();
  }

  private void act(ModelConnection current) {
    double dice = simulation.random().nextDouble() * 100;
    if (dice < 55) {
      publish(current);
    } else if (dice < 60) {
      for (int i = 0; i < 6; i++) {
        publish(current);
      }
    } else if (dice < 68) {
      if (!self.steady()) {
        String filter = pick(filters);
        // A member with QoS 0 might lose what is owed to its share.
        int least = ShareRecord.isShared(filter) ? 1 : 0;
        current.subscribe(identifier(), filter, (int) simulation.between(least, 2));
      }
    } else if (dice < 70) {
      unsubscribe(current);
    } else if (dice < 73) {
      current.link().pause();
      simulation.schedule(simulation.between(1, 2_000), current.link()::resume);
    } else if (dice < 74) {
      current.fallSilent();
    } else if (dice < 74.3) {
      current.freeze();
    } else if (dice < 78) {
      leave(pick(List.of(SimLink.Cut.values())));
    } else if (dice < 79) {
      current.farewell(false, simulation.chance(30));
      leave(SimLink.Cut.CLOSED);
    } else if (dice < 80) {
      connect(); // the first connection is left as if this client had lost its memory of it
    }
  }

  private <T> T pick(List<T> from) {
    return from.get((int) simulation.between(0, from.size() - 1L));
  }

  // ---- what it does

  private void publish(ModelConnection current) {
    if (publisher.mayPublish() && !topics.isEmpty()) {
      int qos = (int) simulation.between(0, 2);
      publisher.publish(pick(topics), qos, simulation.chance(10), current.link()::fromClient);
    }
  }

  private int identifier() {
    return 1_000 + ++subscribeIdentifiers;
  }

  private void unsubscribe(ModelConnection current) {
    List<String> mine = List.copyOf(subscriber.session().filters());
    if (!mine.isEmpty() && !self.steady()) {
      current.unsubscribe(identifier(), pick(mine));
    }
  }

  private void connect() {
    Brokers.Door target = brokers.door();
    if (target == null) {
      return;
    }
    leave(SimLink.Cut.UNNOTICED);
    cleaning |= mood == Mood.WILD && !self.steady() && simulation.chance(4);
    boolean clean = !self.isPersistent() || cleaning;
    long expirySeconds = clean && self.level() == 4 ? 0 : self.expirySeconds();
    String name = self.clientId() + "#" + ++connections;
    ModelWill will =
        simulation.chance(willPercent)
            ? ledger.newWill(ModelWill.draw(simulation, self, name, expirySeconds))
            : null;
    ModelConnection fresh = new ModelConnection(this, name, clean, will);
    connection = fresh;
    triesSinceFormer++;
    if (former != null && former.will() != null) {
      former.will().nextTried(clean);
    }
    target.accept(fresh.link());
    if (clean) {
      newSession();
    }
    fresh.send(
        () -> "CONNECT" + (clean ? " clean" : "") + (will == null ? "" : " with " + will),
        ClientPackets.connect(
            self.level(),
            self.clientId(),
            clean,
            KEEP_ALIVE_SECONDS,
            self.expirySeconds(),
            self.receiveMaximum(),
            will == null ? null : will.text()));
    fresh.keepAlive();
  }

  private void newSession() {
    subscriber.newSession(ledger.newSession(self.clientId(), self.isPersistent()));
    sessionKnown = false;
  }

  /** The CONNACK of its connection came. */
  void accepted(ModelConnection mine, boolean present) {
    boolean clean = mine.isClean();
    boolean mayBeOver = former == null || !now().isWithin(self.expirySeconds(), former.ended());
    // A clean start that was given up may have been carried out since, and ended the session.
    boolean mayBeGone = mayBeOver || cleanTryGivenUp;
    if (clean ? present : sessionKnown && !present && !mayBeGone) {
      throw ledger.violated(
          mine.link().name() + ": session present is " + present + " after clean start " + clean);
    }
    // A connection that it gave up may have begun a new session: it cannot know.
    boolean inDoubt =
        present && sessionKnown && (mayBeOver && triesSinceFormer > 1 || cleanTryGivenUp);
    follow(mine, !clean && !inDoubt, present && !inDoubt);
    if (inDoubt) {
      cleaning = true;
      cleanTryGivenUp = simulation.now() < cleanTryGivenUpAtMillis + GIVEN_UP_TRY_MILLIS;
      leave(SimLink.Cut.CLOSED);
      return;
    }
    cleaning = false;
    sessionPresent = present;
    if (!present && !clean) {
      newSession();
    }
    sessionKnown = !mine.endsSession();
    List<SessionRecord> before = ledger.formerOf(self.clientId());
    if (ledger.hasManyNodes()) {
      simulation.schedule(OTHERS_KNOW_AFTER_MILLIS, () -> before.forEach(SessionRecord::replaced));
    } else {
      before.forEach(SessionRecord::replaced);
    }
    subscriber.connected();
    publisher.connected(present, mine.link()::fromClient);
  }

  /**
   * Records what an accepted connection means for its will and for that of the former connection.
   *
   * @param resumes whether it resumed the session unless that had ended
   * @param sessionWentOn whether it certainly resumed the session
   */
  private void follow(ModelConnection mine, boolean resumes, boolean sessionWentOn) {
    if (former != null && former.will() != null) {
      former.will().nextAccepted(now(), !resumes, sessionWentOn);
      if (ledger.excusesClients() || ledger.livesOverSince(former.acceptedTick()) > 0) {
        former.will().perhapsExcused();
      }
    }
    if (mine.will() != null && simulation.now() < lateTriesUntilMillis) {
      mine.will().perhapsOvertaken();
    }
    former = mine;
    triesSinceFormer = 0;
  }

  /** Its connection is no more its own. */
  void leave(SimLink.Cut how) {
    ModelConnection current = connection;
    if (current != null) {
      ledger.note(self.clientId() + " leaves: " + how);
      // A node that stands still may serve its CONNECT after those that follow it at other nodes.
      if (ledger.hasManyNodes() && !current.isAccepted()) {
        lateTriesUntilMillis = simulation.now() + GIVEN_UP_TRY_MILLIS;
        if (current.isClean()) {
          cleanTryGivenUp = true;
          cleanTryGivenUpAtMillis = simulation.now();
        }
      }
      connection = null;
      current.leave(how);
      if (current.endsSession()) {
        newSession();
        publisher.forget();
      }
    }
  }

  // ---- directed from outside

  /** From now on it stays connected, reads, answers and does nothing of its own. */
  void rest() {
    mood = Mood.CALM;
    ModelConnection current = connection;
    if (current != null) {
      current.link().resume();
      if (current.isSilent()) {
        leave(SimLink.Cut.RESET);
      }
    }
    if (!living) {
      next();
    }
  }

  void goWild() {
    mood = Mood.WILD;
  }

  /** How often its connections have wills. */
  void setWillPercent(int percent) {
    willPercent = percent;
  }

  boolean isAtRest() {
    return isConnected() && publisher.isIdle();
  }

  /** Of its present connection; empty without one. */
  String connectionName() {
    return connection == null ? "" : connection.link().name();
  }

  private boolean isConnected() {
    return connection != null && connection.isAccepted();
  }

  List<String> topics() {
    return topics;
  }

  /** One message to each of the topics. */
  void publishTo(List<String> which, int qos) {
    ModelConnection current = connection;
    if (current != null) {
      which.forEach(topic -> publisher.publish(topic, qos, false, current.link()::fromClient));
    }
  }

  /** Subscribes to the filter alone. */
  void subscribeTo(String filter, int qos) {
    ModelConnection current = connection;
    if (current != null && current.isAccepted()) {
      current.subscribe(identifier(), filter, qos);
    }
  }

  /** True if it holds a subscription that was granted. */
  boolean isSubscribed() {
    return !subscriber.session().filters().isEmpty();
  }

  /** What its last CONNACK said. */
  boolean wasSessionPresent() {
    return sessionPresent;
  }

  /** Of its session, which is not replaced any more. */
  @Nullable Publication retained(String topic) {
    return subscriber.session().newestRetained(topic);
  }

  /** Goes in some way, and stays away. */
  void goAway() {
    mood = Mood.AWAY;
    ModelConnection current = connection;
    if (current == null) {
      return;
    }
    double dice = simulation.random().nextDouble() * 100;
    if (dice < 30) {
      current.farewell(false, simulation.chance(30));
      leave(SimLink.Cut.CLOSED);
    } else if (dice < 50) {
      current.freeze();
    } else {
      leave(pick(List.of(SimLink.Cut.values())));
    }
  }

  /** Nothing is owed to its session any more. */
  void expectNothing() {
    subscriber.session().end();
  }

  /** Ends its session: MQTT 5 with the DISCONNECT, MQTT 3 by a clean session after it. */
  void endSession() {
    ModelConnection current = connection;
    if (current == null) {
      return;
    }
    subscriber.session().end();
    current.farewell(true, false);
    leave(SimLink.Cut.CLOSED);
    cleaning = self.level() == 4 && !current.endsSession();
    mood = cleaning ? Mood.CALM : Mood.AWAY;
  }

  /** It is not connected and does not come back. */
  boolean isGone() {
    return mood == Mood.AWAY && connection == null;
  }
}
