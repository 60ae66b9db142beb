package io.fjordmq.broker.simulation;

import io.fjordmq.broker.simulation.ClientPackets.Packet;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One connection of a {@link ModelClient}: what it reads, acknowledges and waits for. */
final class ModelConnection implements SimLink.Client {
  private static final int PING_MILLIS = 2_000;

  private record RequestedSubscription(String filter, int qos) {}

  private final ModelClient client;
  private final ClientProfile profile;
  private final Ledger ledger;
  private final boolean clean;
  private final @Nullable ModelWill will;
  private final SimLink link;
  private final ClientPackets.Reader reader = new ClientPackets.Reader();
  private final ArrayDeque<Runnable> answers = new ArrayDeque<>();
  // By packet identifier; null if it was withdrawn meanwhile.
  private final Map<Integer, @Nullable RequestedSubscription> subscribing = new HashMap<>();
  private final Moment started;
  private @Nullable Moment ended;
  private boolean accepted;
  private long acceptedTick;
  private boolean silent;
  private boolean frozen;

  ModelConnection(ModelClient client, String name, boolean clean, @Nullable ModelWill will) {
    this.client = client;
    this.profile = client.profile();
    this.ledger = client.ledger();
    this.clean = clean;
    this.will = will;
    this.started = client.now();
    int buffer =
        (int) (client.simulation().chance(20) ? 32 : client.simulation().between(100, 10_000));
    this.link = new SimLink(client.simulation(), name, buffer, this);
  }

  SimLink link() {
    return link;
  }

  boolean isClean() {
    return clean;
  }

  @Nullable ModelWill will() {
    return will;
  }

  long acceptedTick() {
    return acceptedTick;
  }

  boolean isAccepted() {
    return accepted;
  }

  Moment started() {
    return started;
  }

  /** When the client or the broker closed it. */
  Moment ended() {
    return ended == null ? client.now() : ended;
  }

  /** The session ends with this connection. */
  boolean endsSession() {
    return !profile.isPersistent() || (clean && profile.level() == 4);
  }

  private boolean isCurrent() {
    return client.isConnectedBy(this);
  }

  // ---- what the client does

  void send(Supplier<String> text, byte[] bytes) {
    ledger.note(() -> link.name() + " -> " + text.get());
    link.sendFromClient(bytes);
  }

  /** From now on the client acknowledges nothing. */
  void stopSending() {
    silent = true;
  }

  /** From now on the client sends nothing, not even pings. */
  void freeze() {
    silent = true;
    frozen = true;
  }

  boolean isSilent() {
    return silent;
  }

  boolean isFrozen() {
    return frozen;
  }

  void subscribe(int identifier, String filter, int qos) {
    dropPendingSubscriptions(filter, qos);
    subscribing.put(identifier, new RequestedSubscription(filter, qos));
    client.subscriber().session().onSubscribe(filter, qos);
    send(
        () -> "SUBSCRIBE " + identifier + " " + filter + " q" + qos,
        ClientPackets.subscribe(profile.level(), identifier, filter, qos));
  }

  void unsubscribe(int identifier, String filter) {
    dropPendingSubscriptions(filter, -1);
    client.subscriber().session().onUnsubscribe(filter);
    send(
        () -> "UNSUBSCRIBE " + identifier + " " + filter,
        ClientPackets.unsubscribe(profile.level(), identifier, filter));
  }

  /** Drops unanswered subscriptions of this filter with a QoS above this one. */
  private void dropPendingSubscriptions(String filter, int qos) {
    subscribing.replaceAll(
        (identifier, wish) ->
            wish != null && wish.filter.equals(filter) && wish.qos > qos ? null : wish);
  }

  /** Sends DISCONNECT, with or without publishing the will. */
  void sendDisconnect(boolean endSession, boolean publishWill) {
    boolean withWill = publishWill && profile.level() == 5;
    if (will != null && !withWill) {
      will.onDisconnectSent();
    }
    send(
        () -> "DISCONNECT" + (endSession ? ", end" : "") + (withWill ? " with will" : ""),
        ClientPackets.disconnect(profile.level(), endSession, withWill));
  }

  void disconnect(SimLink.DisconnectKind how) {
    recordEnd();
    link.disconnect(how);
  }

  void keepAlive() {
    if (isCurrent()) {
      if (accepted && !frozen) {
        link.sendFromClient(ClientPackets.ping());
      }
      client.simulation().schedule(PING_MILLIS, this::keepAlive);
    }
  }

  // ---- events the client cannot observe but the ledger needs

  private void recordEnd() {
    if (ended == null) {
      ended = client.now();
    }
    if (will != null) {
      will.onConnectionEnded(client.now());
    }
  }

  @Override
  public void onBrokerClosed() {
    recordEnd();
  }

  @Override
  public void onDisconnectProcessed() {
    if (will != null) {
      will.onDisconnectProcessed(client.now());
    }
  }

  // ---- what the client reads

  @Override
  public void onClosed() {
    if (isCurrent()) {
      ledger.note(() -> link.name() + " is closed by the broker");
      client.disconnect(SimLink.DisconnectKind.CLOSED);
    }
  }

  @Override
  public void onBytes(byte[] bytes) {
    if (!isCurrent()) {
      return;
    }
    reader.add(bytes);
    for (Packet packet = reader.next(); packet != null && isCurrent(); packet = reader.next()) {
      onPacket(packet);
    }
  }

  private void onPacket(Packet packet) {
    if (!accepted && packet.type() != ClientPackets.CONNACK) {
      throw ledger.violation(link.name() + " received a packet before its CONNACK");
    }
    ModelPublisher publisher = client.publisher();
    switch (packet.type()) {
      case ClientPackets.CONNACK -> onConnAck(packet.body().get() == 1, packet.body().get());
      case ClientPackets.PUBLISH -> {
        ClientPackets.Received received = ClientPackets.received(profile.level(), packet);
        ledger.note(() -> link.name() + " <- " + received);
        client.subscriber().onPublish(received, this::scheduleReply);
      }
      case ClientPackets.PUBACK -> {
        int identifier = readIdentifier("PUBACK", packet);
        publisher.onAcknowledged(identifier, reasonCode(packet));
      }
      case ClientPackets.PUBREC -> {
        int identifier = readIdentifier("PUBREC", packet);
        publisher.onReceived(
            identifier,
            reasonCode(packet),
            release -> scheduleAnswer(() -> link.sendFromClient(release)));
      }
      case ClientPackets.PUBREL ->
          client.subscriber().onRelease(readIdentifier("PUBREL", packet), this::scheduleReply);
      case ClientPackets.PUBCOMP -> publisher.onComplete(readIdentifier("PUBCOMP", packet));
      case ClientPackets.SUBACK -> onSubAck(readIdentifier("SUBACK", packet), packet);
      case ClientPackets.UNSUBACK -> {
        readIdentifier("UNSUBACK", packet);
        client.subscriber().session().onResponse();
      }
      case ClientPackets.DISCONNECT -> ledger.note(() -> link.name() + " <- DISCONNECT");
      default -> {
        // PINGRESP says nothing.
      }
    }
  }

  private int readIdentifier(String type, Packet packet) {
    int identifier = packet.body().getShort() & 0xFFFF;
    ledger.note(() -> link.name() + " <- " + type + " " + identifier);
    return identifier;
  }

  private static int reasonCode(Packet packet) {
    return packet.body().hasRemaining() ? packet.body().get() & 0xFF : 0;
  }

  private void onConnAck(boolean present, int code) {
    ledger.note(() -> link.name() + " <- CONNACK " + code + (present ? " present" : ""));
    if (code != 0) {
      client.disconnect(SimLink.DisconnectKind.CLOSED);
      return;
    }
    accepted = true;
    acceptedTick = ledger.tick();
    if (will != null) {
      will.onAccepted(client.now());
    }
    client.onAccepted(this, present);
  }

  private void onSubAck(int identifier, Packet packet) {
    if (profile.level() == 5) {
      packet.body().position(packet.body().position() + 1 + packet.body().get(2));
    }
    int code = packet.body().get() & 0xFF;
    if (!subscribing.containsKey(identifier)) {
      throw ledger.violation(link.name() + " has not sent SUBSCRIBE " + identifier);
    }
    RequestedSubscription wish = subscribing.remove(identifier);
    SessionRecord session = client.subscriber().session();
    session.onResponse();
    if (code >= 0x80) {
      ledger.note(() -> link.name() + ": subscription " + identifier + " is refused");
      session.onRefused();
    } else if (wish != null) {
      session.onGranted(wish.filter, code);
    }
  }

  /** Acknowledgements leave in order, each when the client is ready. */
  private void scheduleReply(int type, int identifier, Runnable sent) {
    scheduleAnswer(
        () -> {
          sent.run();
          send(() -> "answer " + type + " " + identifier, ClientPackets.reply(type, identifier));
        });
  }

  private void scheduleAnswer(Runnable answer) {
    answers.add(answer);
    client.simulation().schedule(client.pauseMillis(), this::answerNext);
  }

  private void answerNext() {
    Runnable answer = answers.poll();
    if (answer != null && isCurrent() && !silent) {
      answer.run();
    }
  }
}
