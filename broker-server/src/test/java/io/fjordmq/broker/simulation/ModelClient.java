package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT client with seeded random behavior: it connects, subscribes, publishes, acknowledges late
 * or never, stops reading, loses its connection in the middle of a packet, and connects a second
 * time while the broker still holds the first connection. It keeps the state MQTT requires of a
 * client, so it knows which messages to expect.
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

  private enum Activity {
    /** Performs random actions. */
    RANDOM,
    /** Stays connected, reads and acknowledges, and starts no actions. */
    PASSIVE,
    /** Does not reconnect. */
    DISCONNECTED
  }

  private final Simulation simulation;
  private final ClientProfile profile;
  private final Ledger ledger;
  private final Brokers brokers;
  private final List<String> topics;
  private final List<String> filters;
  private final ModelPublisher publisher;
  private final ModelSubscriber subscriber;
  private Activity activity = Activity.RANDOM;
  private boolean acting;
  private int willPercent;
  private @Nullable ModelConnection connection;
  // The last one that was accepted.
  private @Nullable ModelConnection former;
  // The broker has said that it keeps the session.
  private boolean sessionKnown;
  // It has begun to start anew, and does so until the broker has said that it did.
  private boolean startingClean;
  private boolean sessionPresent;
  private int attemptsSinceFormer;
  // A connection with clean start of which it has heard nothing, and perhaps never will.
  private boolean cleanAttemptAbandoned;
  private long cleanAttemptAbandonedAtMillis;
  // Until then, a node may carry out a CONNECT that it gave up.
  private long lateAttemptsUntilMillis;
  private int connections;
  private int subscribeIdentifiers;

  /**
   * @param topics only this client publishes to them
   * @param filters it subscribes to
   */
  ModelClient(
      Simulation simulation,
      ClientProfile self,
      Ledger ledger,
      Brokers brokers,
      List<String> topics,
      List<String> filters) {
    this.simulation = simulation;
    this.profile = self;
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

  ClientProfile profile() {
    return profile;
  }

  String clientId() {
    return profile.clientId();
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

  int pauseMillis() {
    return activity != Activity.RANDOM || simulation.chance(50)
        ? 0
        : (int) simulation.between(0, 100);
  }

  private void next() {
    acting = true;
    boolean busy = activity == Activity.RANDOM || !isConnected();
    long longest = busy ? MAX_PAUSE_MILLIS : MAX_CALM_PAUSE_MILLIS;
    simulation.schedule(simulation.between(1, longest), this::live);
  }

  private void live() {
    ModelConnection current = connection;
    if (activity == Activity.DISCONNECTED) {
      acting = false;
      return;
    }
    if (current == null) {
      if (activity == Activity.PASSIVE || simulation.chance(40)) {
        connect();
      }
    } else if (!current.isAccepted()) {
      if (now().millis() - current.started().millis() > CONNECT_TIMEOUT_MILLIS) {
        leave(SimLink.DisconnectKind.CLOSED);
      } else if (activity == Activity.RANDOM && simulation.chance(2)) {
        leave(SimLink.DisconnectKind.RESET);
      }
    } else if (activity == Activity.RANDOM && !current.isFrozen()) {
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
      if (!profile.steady()) {
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
      current.stopSending();
    } else if (dice < 74.3) {
      current.freeze();
    } else if (dice < 78) {
      leave(pick(List.of(SimLink.DisconnectKind.values())));
    } else if (dice < 79) {
      current.sendDisconnect(false, simulation.chance(30));
      leave(SimLink.DisconnectKind.CLOSED);
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
    if (!mine.isEmpty() && !profile.steady()) {
      current.unsubscribe(identifier(), pick(mine));
    }
  }

  private void connect() {
    Brokers.Acceptor target = brokers.acceptor();
    if (target == null) {
      return;
    }
    leave(SimLink.DisconnectKind.UNNOTICED);
    startingClean |= activity == Activity.RANDOM && !profile.steady() && simulation.chance(4);
    boolean clean = !profile.isPersistent() || startingClean;
    long expirySeconds = clean && profile.level() == 4 ? 0 : profile.expirySeconds();
    String name = profile.clientId() + "#" + ++connections;
    ModelWill will =
        simulation.chance(willPercent)
            ? ledger.newWill(ModelWill.draw(simulation, profile, name, expirySeconds))
            : null;
    ModelConnection fresh = new ModelConnection(this, name, clean, will);
    connection = fresh;
    attemptsSinceFormer++;
    if (former != null && former.will() != null) {
      former.will().nextConnectAttempted(clean);
    }
    target.accept(fresh.link());
    if (clean) {
      newSession();
    }
    fresh.send(
        () -> "CONNECT" + (clean ? " clean" : "") + (will == null ? "" : " with " + will),
        ClientPackets.connect(
            profile.level(),
            profile.clientId(),
            clean,
            KEEP_ALIVE_SECONDS,
            profile.expirySeconds(),
            profile.receiveMaximum(),
            will == null ? null : will.text()));
    fresh.keepAlive();
  }

  private void newSession() {
    subscriber.newSession(ledger.newSession(profile.clientId(), profile.isPersistent()));
    sessionKnown = false;
  }

  /** The CONNACK of its connection arrived. */
  void accepted(ModelConnection mine, boolean present) {
    boolean clean = mine.isClean();
    boolean mayBeOver = former == null || !now().isWithin(profile.expirySeconds(), former.ended());
    // A clean start that was given up may have been carried out since, and ended the session.
    boolean mayBeGone = mayBeOver || cleanAttemptAbandoned;
    if (clean ? present : sessionKnown && !present && !mayBeGone) {
      throw ledger.violation(
          mine.link().name() + ": session present is " + present + " after clean start " + clean);
    }
    // A connection that it gave up may have begun a new session: it cannot know.
    boolean inDoubt =
        present && sessionKnown && (mayBeOver && attemptsSinceFormer > 1 || cleanAttemptAbandoned);
    follow(mine, !clean && !inDoubt, present && !inDoubt);
    if (inDoubt) {
      startingClean = true;
      cleanAttemptAbandoned =
          simulation.now() < cleanAttemptAbandonedAtMillis + GIVEN_UP_TRY_MILLIS;
      leave(SimLink.DisconnectKind.CLOSED);
      return;
    }
    startingClean = false;
    sessionPresent = present;
    if (!present && !clean) {
      newSession();
    }
    sessionKnown = !mine.endsSession();
    List<SessionRecord> before = ledger.formerOf(profile.clientId());
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
      if (ledger.excusesClients() || ledger.incarnationsEndedSince(former.acceptedTick()) > 0) {
        former.will().mayBeExcused();
      }
    }
    if (mine.will() != null && simulation.now() < lateAttemptsUntilMillis) {
      mine.will().mayBeOvertaken();
    }
    former = mine;
    attemptsSinceFormer = 0;
  }

  /** Its connection is closed or replaced. */
  void leave(SimLink.DisconnectKind how) {
    ModelConnection current = connection;
    if (current != null) {
      ledger.note(profile.clientId() + " leaves: " + how);
      // A node that stands still may serve its CONNECT after those that follow it at other nodes.
      if (ledger.hasManyNodes() && !current.isAccepted()) {
        lateAttemptsUntilMillis = simulation.now() + GIVEN_UP_TRY_MILLIS;
        if (current.isClean()) {
          cleanAttemptAbandoned = true;
          cleanAttemptAbandonedAtMillis = simulation.now();
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

  /** From now on it stays connected, reads and acknowledges, and starts no actions. */
  void stopRandomActivity() {
    activity = Activity.PASSIVE;
    ModelConnection current = connection;
    if (current != null) {
      current.link().resume();
      if (current.isSilent()) {
        leave(SimLink.DisconnectKind.RESET);
      }
    }
    if (!acting) {
      next();
    }
  }

  void startRandomActivity() {
    activity = Activity.RANDOM;
  }

  /** The percentage of its connections that have wills. */
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

  /** Publishes one message to each of its topics. */
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

  /** True if it holds a granted subscription. */
  boolean isSubscribed() {
    return !subscriber.session().filters().isEmpty();
  }

  /** Session Present of its last CONNACK. */
  boolean wasSessionPresent() {
    return sessionPresent;
  }

  /** Of its session, which is not replaced any more. */
  @Nullable Publication retained(String topic) {
    return subscriber.session().newestRetained(topic);
  }

  /** Disconnects in a random way and stays offline. */
  void disconnectForGood() {
    activity = Activity.DISCONNECTED;
    ModelConnection current = connection;
    if (current == null) {
      return;
    }
    double dice = simulation.random().nextDouble() * 100;
    if (dice < 30) {
      current.sendDisconnect(false, simulation.chance(30));
      leave(SimLink.DisconnectKind.CLOSED);
    } else if (dice < 50) {
      current.freeze();
    } else {
      leave(pick(List.of(SimLink.DisconnectKind.values())));
    }
  }

  /** Its session expects no more messages. */
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
    current.sendDisconnect(true, false);
    leave(SimLink.DisconnectKind.CLOSED);
    startingClean = profile.level() == 4 && !current.endsSession();
    activity = startingClean ? Activity.PASSIVE : Activity.DISCONNECTED;
  }

  /** It is disconnected and does not reconnect. */
  boolean isGone() {
    return activity == Activity.DISCONNECTED && connection == null;
  }
}
