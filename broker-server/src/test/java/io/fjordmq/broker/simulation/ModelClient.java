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

  /** A suspended node may process a CONNECT this late: 4 s, then up to 10 s in the store. */
  private static final int ABANDONED_ATTEMPT_MILLIS = 4_000 + 10_000;

  /** An isolated node serves until its lease expires, then closes its connections. */
  private static final long END_KNOWN_AFTER_MILLIS = 3_000;

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
  // The last connection that the broker accepted; it may have ended.
  private @Nullable ModelConnection lastAccepted;
  // The broker has confirmed that it keeps the session.
  private boolean sessionKnown;
  // Connects with clean start until the broker confirms a new session.
  private boolean startingClean;
  private boolean sessionPresent;
  private int attemptsSinceLastAccepted;
  // A connection attempt with clean start was abandoned before its CONNACK arrived.
  private boolean cleanAttemptAbandoned;
  private long cleanAttemptAbandonedAtMillis;
  // Until then, a node may still process a CONNECT that this client abandoned.
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
    scheduleNextStep();
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

  private void scheduleNextStep() {
    acting = true;
    boolean busy = activity == Activity.RANDOM || !isConnected();
    long longest = busy ? MAX_PAUSE_MILLIS : MAX_CALM_PAUSE_MILLIS;
    simulation.schedule(simulation.between(1, longest), this::step);
  }

  private void step() {
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
        disconnect(SimLink.DisconnectKind.CLOSED);
      } else if (activity == Activity.RANDOM && simulation.chance(2)) {
        disconnect(SimLink.DisconnectKind.RESET);
      }
    } else if (activity == Activity.RANDOM && !current.isFrozen()) {
      act(current);
    }
    scheduleNextStep();
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
      disconnect(pick(List.of(SimLink.DisconnectKind.values())));
    } else if (dice < 79) {
      current.sendDisconnect(false, simulation.chance(30));
      disconnect(SimLink.DisconnectKind.CLOSED);
    } else if (dice < 80) {
      connect(); // the first connection is left as if this client had lost its memory of it
    }
  }

  private <T> T pick(List<T> from) {
    return from.get((int) simulation.between(0, from.size() - 1L));
  }

  // ---- actions

  private void publish(ModelConnection current) {
    if (publisher.mayPublish() && !topics.isEmpty()) {
      int qos = (int) simulation.between(0, 2);
      publisher.publish(pick(topics), qos, simulation.chance(10), current.link()::sendFromClient);
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
    disconnect(SimLink.DisconnectKind.UNNOTICED);
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
    attemptsSinceLastAccepted++;
    if (lastAccepted != null && lastAccepted.will() != null) {
      lastAccepted.will().onNextConnectAttempt(clean);
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
  void onAccepted(ModelConnection mine, boolean present) {
    boolean clean = mine.isClean();
    boolean mayBeOver =
        lastAccepted == null || !now().isWithin(profile.expirySeconds(), lastAccepted.ended());
    // An abandoned clean start may have been processed since, which ended the session.
    boolean mayBeGone = mayBeOver || cleanAttemptAbandoned;
    if (clean ? present : sessionKnown && !present && !mayBeGone) {
      throw ledger.violation(
          mine.link().name() + ": session present is " + present + " after clean start " + clean);
    }
    // An abandoned connection may have started a new session; the client cannot know.
    boolean inDoubt =
        present
            && sessionKnown
            && (mayBeOver && attemptsSinceLastAccepted > 1 || cleanAttemptAbandoned);
    recordAccepted(mine, !clean && !inDoubt, present && !inDoubt);
    if (inDoubt) {
      startingClean = true;
      cleanAttemptAbandoned =
          simulation.now() < cleanAttemptAbandonedAtMillis + ABANDONED_ATTEMPT_MILLIS;
      disconnect(SimLink.DisconnectKind.CLOSED);
      return;
    }
    startingClean = false;
    sessionPresent = present;
    if (!present && !clean) {
      newSession();
    }
    sessionKnown = !mine.endsSession();
    List<SessionRecord> before = ledger.endedSessionsOf(profile.clientId());
    if (ledger.hasManyNodes()) {
      simulation.schedule(END_KNOWN_AFTER_MILLIS, () -> before.forEach(SessionRecord::onReplaced));
    } else {
      before.forEach(SessionRecord::onReplaced);
    }
    subscriber.onConnected();
    publisher.onConnected(present, mine.link()::sendFromClient);
  }

  /**
   * Records what an accepted connection means for its will and for that of the former connection.
   *
   * @param resumes whether it resumed the session unless that had ended
   * @param sessionWentOn whether it certainly resumed the session
   */
  private void recordAccepted(ModelConnection mine, boolean resumes, boolean sessionWentOn) {
    if (lastAccepted != null && lastAccepted.will() != null) {
      lastAccepted.will().onNextAccepted(now(), !resumes, sessionWentOn);
      if (ledger.excusesClients()
          || ledger.incarnationsEndedSince(lastAccepted.acceptedTick()) > 0) {
        lastAccepted.will().markMayBeExcused();
      }
    }
    if (mine.will() != null && simulation.now() < lateAttemptsUntilMillis) {
      mine.will().markMayBeOvertaken();
    }
    lastAccepted = mine;
    attemptsSinceLastAccepted = 0;
  }

  /** Its connection is closed or replaced. */
  void disconnect(SimLink.DisconnectKind how) {
    ModelConnection current = connection;
    if (current != null) {
      ledger.note(profile.clientId() + " leaves: " + how);
      // A suspended node may process this CONNECT after other nodes have processed later ones.
      if (ledger.hasManyNodes() && !current.isAccepted()) {
        lateAttemptsUntilMillis = simulation.now() + ABANDONED_ATTEMPT_MILLIS;
        if (current.isClean()) {
          cleanAttemptAbandoned = true;
          cleanAttemptAbandonedAtMillis = simulation.now();
        }
      }
      connection = null;
      current.disconnect(how);
      if (current.endsSession()) {
        newSession();
        publisher.abandonFlights();
      }
    }
  }

  // ---- called by scenarios

  /** From now on it stays connected, reads and acknowledges, and starts no actions. */
  void stopRandomActivity() {
    activity = Activity.PASSIVE;
    ModelConnection current = connection;
    if (current != null) {
      current.link().resume();
      if (current.isSilent()) {
        disconnect(SimLink.DisconnectKind.RESET);
      }
    }
    if (!acting) {
      scheduleNextStep();
    }
  }

  void startRandomActivity() {
    activity = Activity.RANDOM;
  }

  /** The percentage of its connections that have wills. */
  void setWillPercent(int percent) {
    willPercent = percent;
  }

  boolean isIdle() {
    return isConnected() && publisher.isIdle();
  }

  /** Name of the current connection; empty if there is none. */
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
      which.forEach(topic -> publisher.publish(topic, qos, false, current.link()::sendFromClient));
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
  void disconnectPermanently() {
    activity = Activity.DISCONNECTED;
    ModelConnection current = connection;
    if (current == null) {
      return;
    }
    double dice = simulation.random().nextDouble() * 100;
    if (dice < 30) {
      current.sendDisconnect(false, simulation.chance(30));
      disconnect(SimLink.DisconnectKind.CLOSED);
    } else if (dice < 50) {
      current.freeze();
    } else {
      disconnect(pick(List.of(SimLink.DisconnectKind.values())));
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
    disconnect(SimLink.DisconnectKind.CLOSED);
    startingClean = profile.level() == 4 && !current.endsSession();
    activity = startingClean ? Activity.PASSIVE : Activity.DISCONNECTED;
  }

  /** It is disconnected and does not reconnect. */
  boolean isGone() {
    return activity == Activity.DISCONNECTED && connection == null;
  }
}
