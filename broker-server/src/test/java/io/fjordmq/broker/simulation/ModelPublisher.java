package io.fjordmq.broker.simulation;

import static io.fjordmq.broker.simulation.ClientPackets.PUBREL;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The sending side of a model client: numbers its messages, repeats unacknowledged ones when its
 * session is resumed, and checks that acknowledgements match sent messages, in order.
 */
final class ModelPublisher {
  /** Few, so that each is used again soon. */
  private static final int IDENTIFIERS = 20;

  private static final class Flight {
    final Publication publication;
    boolean received;

    Flight(Publication publication) {
      this.publication = publication;
    }
  }

  private final Ledger ledger;
  private final String clientId;
  private final int level;

  /** In the order of the first PUBLISH. */
  private final Map<Integer, Flight> flights = new LinkedHashMap<>();

  // Of the connection: identifiers whose PUBACK or PUBREC is awaited, as they were written.
  private final Deque<Integer> awaitingPuback = new ArrayDeque<>();
  private final Deque<Integer> awaitingPubrec = new ArrayDeque<>();
  private int lastIdentifier;
  private int numbers;
  private int connections;

  ModelPublisher(Ledger ledger, String clientId, int level) {
    this.ledger = ledger;
    this.clientId = clientId;
    this.level = level;
  }

  boolean isIdle() {
    return flights.isEmpty();
  }

  boolean mayPublish() {
    return flights.size() < SimSettings.RECEIVE_MAXIMUM;
  }

  void publish(String topic, int qos, boolean retain, Consumer<byte[]> out) {
    Publication publication = new Publication(clientId, ++numbers, topic, qos, retain, level == 5);
    ledger.add(publication);
    int identifier = 0;
    if (qos > 0) {
      identifier = freeIdentifier();
      flights.put(identifier, new Flight(publication));
    }
    send(identifier, publication, false, out);
  }

  private int freeIdentifier() {
    do {
      lastIdentifier = lastIdentifier % IDENTIFIERS + 1;
    } while (flights.containsKey(lastIdentifier));
    return lastIdentifier;
  }

  private void send(int identifier, Publication publication, boolean dup, Consumer<byte[]> out) {
    publication.sent(ledger.tick(), connections);
    if (publication.qos() > 0) {
      (publication.qos() == 1 ? awaitingPuback : awaitingPubrec).add(identifier);
    }
    ledger.note(() -> clientId + " -> PUBLISH " + identifier + (dup ? " dup " : " ") + publication);
    out.accept(ClientPackets.publish(level, publication, identifier, dup));
  }

  /** The session and its messages in flight have ended. */
  void abandonFlights() {
    flights.values().forEach(flight -> flight.publication.abandon());
    flights.clear();
  }

  /** Resends messages in flight on a new connection if the broker knows the session. */
  void onConnected(boolean sessionPresent, Consumer<byte[]> out) {
    connections++;
    awaitingPuback.clear();
    awaitingPubrec.clear();
    if (!sessionPresent) {
      abandonFlights();
      return;
    }
    flights.forEach(
        (identifier, flight) -> {
          if (flight.received) {
            ledger.note(() -> clientId + " -> PUBREL " + identifier);
            out.accept(ClientPackets.reply(PUBREL, identifier));
          } else {
            send(identifier, flight.publication, true, out);
          }
        });
  }

  /** PUBACK. */
  void onAcknowledged(int identifier, int reasonCode) {
    Flight flight = requireFlight(awaitingPuback, identifier, "PUBACK");
    flight.publication.answered(reasonCode, ledger.tick());
    flights.remove(identifier);
  }

  /** PUBREC. */
  void onReceived(int identifier, int reasonCode, Consumer<byte[]> release) {
    Flight flight = requireFlight(awaitingPubrec, identifier, "PUBREC");
    flight.publication.answered(reasonCode, ledger.tick());
    if (reasonCode >= 0x80) {
      flights.remove(identifier);
    } else {
      flight.received = true;
      release.accept(ClientPackets.reply(PUBREL, identifier));
    }
  }

  private Flight requireFlight(Deque<Integer> awaited, int identifier, String packet) {
    Integer expected = awaited.poll();
    Flight flight = flights.get(identifier);
    if (expected == null || expected != identifier || flight == null) {
      throw ledger.violation(
          packet + " " + identifier + " for " + clientId + ", which awaits that for " + expected);
    }
    return flight;
  }

  /** PUBCOMP. */
  void onComplete(int identifier) {
    Flight flight = flights.get(identifier);
    if (flight == null || !flight.received) {
      throw ledger.violation(
          "PUBCOMP " + identifier + " for " + clientId + ", which did not release");
    }
    flights.remove(identifier);
  }
}
