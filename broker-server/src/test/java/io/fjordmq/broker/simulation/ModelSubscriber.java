package io.fjordmq.broker.simulation;

import static io.fjordmq.broker.simulation.ClientPackets.PUBACK;
import static io.fjordmq.broker.simulation.ClientPackets.PUBCOMP;
import static io.fjordmq.broker.simulation.ClientPackets.PUBREC;

import io.fjordmq.broker.simulation.ClientPackets.Received;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The receiving side of a model client: keeps the state MQTT requires of a receiver, acknowledges,
 * and checks packet identifiers, DUP and the receive maximum.
 */
final class ModelSubscriber {
  /** Sends an acknowledgement when the client is ready; they leave in the order of these calls. */
  interface Answers {
    void send(int type, int identifier, Runnable sent);
  }

  private final Ledger ledger;
  private final int receiveMaximum;
  private SessionRecord session;

  // Of the session. By packet identifier: received and not answered to the end, or answered.
  private final Map<Integer, Publication> unanswered = new HashMap<>();
  private final Map<Integer, Publication> answered = new HashMap<>();

  /** QoS 2 from PUBLISH to PUBREL, to recognize a repetition. */
  private final Map<Integer, Publication> unreleased = new HashMap<>();

  // Of the connection.
  private final Set<Integer> identifiersInUse = new HashSet<>();
  private final Set<Integer> answeredOnConnection = new HashSet<>();

  /** Packet identifiers of the PUBRECs sent, in their order, without those that got a PUBREL. */
  private final Deque<Integer> pubrecs = new ArrayDeque<>();

  ModelSubscriber(Ledger ledger, int receiveMaximum, SessionRecord session) {
    this.ledger = ledger;
    this.receiveMaximum = receiveMaximum;
    this.session = session;
  }

  SessionRecord session() {
    return session;
  }

  /** The broker has no earlier state of this session. */
  void newSession(SessionRecord fresh) {
    session.end();
    session = fresh;
    unanswered.clear();
    answered.clear();
    unreleased.clear();
  }

  void onConnected() {
    session.onResumed();
    identifiersInUse.clear();
    answeredOnConnection.clear();
    pubrecs.clear();
  }

  void onPublish(Received packet, Answers answers) {
    Publication publication = ledger.requirePublication(packet.payload());
    int identifier = packet.identifier();
    if (packet.qos() == 0) {
      require(!packet.dup(), publication, "has DUP with QoS 0");
      session.receive(publication, packet, true);
      return;
    }
    checkIdentifier(packet, publication);
    identifiersInUse.add(identifier);
    unanswered.put(identifier, publication);
    if (packet.qos() == 1) {
      session.receive(publication, packet, !packet.dup());
      answers.send(PUBACK, identifier, () -> releaseIdentifier(identifier));
    } else {
      if (unreleased.put(identifier, publication) == null) {
        session.receive(publication, packet, true);
      }
      answers.send(PUBREC, identifier, () -> onPubRecSent(identifier));
    }
  }

  private void checkIdentifier(Received packet, Publication publication) {
    int identifier = packet.identifier();
    require(identifier > 0, publication, "has packet identifier 0");
    require(
        !identifiersInUse.contains(identifier),
        publication,
        "has packet identifier " + identifier + ", which is in use on this connection");
    require(
        identifiersInUse.size() < receiveMaximum,
        publication,
        "exceeds the receive maximum of the client: " + receiveMaximum);
    Publication open = unanswered.get(identifier);
    require(
        open == null || open == publication,
        publication,
        "has packet identifier " + identifier + ", under which " + open + " is not acknowledged");
    boolean again = open == publication || answered.get(identifier) == publication;
    require(
        !(again && packet.dup() && answeredOnConnection.contains(identifier)),
        publication,
        "was acknowledged on this connection and is resent");
    require(
        packet.dup() || !again || answeredOnConnection.contains(identifier),
        publication,
        "is resent without DUP");
  }

  private void releaseIdentifier(int identifier) {
    identifiersInUse.remove(identifier);
    Publication done = unanswered.remove(identifier);
    if (done != null) {
      answered.put(identifier, done);
      answeredOnConnection.add(identifier);
    }
  }

  /** PUBREL. */
  void onRelease(int identifier, Answers answers) {
    checkReleaseOrder(identifier);
    unreleased.remove(identifier);
    answers.send(PUBCOMP, identifier, () -> releaseIdentifier(identifier));
  }

  private void onPubRecSent(int identifier) {
    if (!pubrecs.contains(identifier)) {
      pubrecs.add(identifier);
    }
  }

  /** PUBRELs follow the order of the PUBRECs (MQTT 3.1.1 and 5.0 §4.6). */
  private void checkReleaseOrder(int identifier) {
    Publication released = unreleased.get(identifier);
    if (pubrecs.contains(identifier) && released != null) {
      require(
          pubrecs.peek() == identifier,
          released,
          "was released before the message with packet identifier " + pubrecs.peek());
    }
    pubrecs.remove(identifier);
  }

  private void require(boolean holds, Publication publication, String complaint) {
    if (!holds) {
      throw ledger.violation(session + ": " + publication + " " + complaint);
    }
  }
}
