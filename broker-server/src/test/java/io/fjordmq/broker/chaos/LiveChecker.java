package io.fjordmq.broker.chaos;

import io.fjordmq.broker.chaos.HistoryChecker.Finding;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Finds broken promises to subscriptions that end with their connection: from the SUBACK to the end
 * of the connection every acknowledged message comes, in order. What is lost with a connection is
 * not promised. Nor is the order of messages that were published before the SUBACK: a publisher
 * that resends messages at another node may resend one sent before the subscription existed.
 */
final class LiveChecker {

  /** The messages a listener received from one publisher over one connection. */
  private static final class ReceivedMessages {
    /** The first message that was published after the SUBACK. */
    private int first = Integer.MAX_VALUE;

    private final BitSet once = new BitSet();
    private int highest = -1;

    void record(String listener, String publisher, int number, List<Finding> findings) {
      if (!once.get(number) && number >= first && number < highest) {
        findings.add(new Finding.Reordered(listener, publisher, number, highest));
      }
      once.set(number);
      highest = Math.max(highest, number);
    }
  }

  /** A closed connection of a listener; messages up to the last that arrived are checked. */
  private record ClosedConnection(
      String listener, String publisher, ReceivedMessages received, int end) {}

  private final Set<String> listeners;
  private final Map<String, Integer> published = new TreeMap<>();
  private final Map<String, BitSet> acknowledged = new HashMap<>();
  private final Map<String, Map<String, ReceivedMessages>> receivedByListener = new TreeMap<>();
  private final Set<String> subscribed = new HashSet<>();
  private final List<ClosedConnection> closedConnections = new ArrayList<>();
  private final Map<String, Set<HistoryEvent.Step>> probes = new HashMap<>();
  private final List<Finding> findings = new ArrayList<>();

  private LiveChecker(Set<String> listeners) {
    this.listeners = listeners;
  }

  /**
   * @param listeners clients that subscribe to all publishers with each connection
   */
  static List<Finding> check(Stream<HistoryEvent> history, Set<String> listeners) {
    LiveChecker checker = new LiveChecker(listeners);
    history.forEach(checker::process);
    Set.copyOf(checker.receivedByListener.keySet())
        .forEach(listener -> checker.endConnection(listener, Integer.MAX_VALUE));
    checker.closedConnections.forEach(checker::findMissed);
    return checker.findings;
  }

  private void process(HistoryEvent event) {
    if (event instanceof HistoryEvent.Published sent) {
      published.put(sent.publisher(), sent.number());
    } else if (event instanceof HistoryEvent.Acknowledged answer) {
      acknowledged.computeIfAbsent(answer.publisher(), name -> new BitSet()).set(answer.number());
    } else if (event instanceof HistoryEvent.Received received) {
      if (receivedByListener.containsKey(received.subscriber())) {
        receivedBy(received.subscriber(), received.publisher())
            .record(received.subscriber(), received.publisher(), received.number(), findings);
      }
    } else if (event instanceof HistoryEvent.Connected connected) {
      if (listeners.contains(connected.client())) {
        receivedByListener.put(connected.client(), new TreeMap<>());
        subscribed.remove(connected.client());
      }
    } else if (event instanceof HistoryEvent.Live live) {
      onLiveEvent(live);
    } else if (event instanceof HistoryEvent.Lost lost) {
      probes.remove(lost.client());
      endConnection(lost.client(), 0);
      receivedByListener.remove(lost.client());
      subscribed.remove(lost.client());
    }
  }

  /** A listener must receive a publisher that starts after the SUBACK from its first message on. */
  private ReceivedMessages receivedBy(String listener, String publisher) {
    return receivedByListener
        .computeIfAbsent(listener, name -> new TreeMap<>())
        .computeIfAbsent(
            publisher,
            name -> {
              ReceivedMessages got = new ReceivedMessages();
              got.first = subscribed.contains(listener) ? 0 : Integer.MAX_VALUE;
              return got;
            });
  }

  private void onLiveEvent(HistoryEvent.Live live) {
    if (listeners.contains(live.client())) {
      published.forEach((publisher, last) -> receivedBy(live.client(), publisher).first = last + 1);
      subscribed.add(live.client());
      return;
    }
    if (live.step() == HistoryEvent.Step.SUBSCRIBED) {
      probes.put(live.client(), new HashSet<>());
    }
    Set<HistoryEvent.Step> steps = probes.get(live.client());
    if (steps != null) {
      steps.add(live.step());
      if (live.step() == HistoryEvent.Step.UNHEARD
          && steps.contains(HistoryEvent.Step.PROBED)
          && !steps.contains(HistoryEvent.Step.HEARD)) {
        findings.add(new Finding.ProbeLost(live.client(), live.number()));
      }
    }
  }

  /**
   * @param least checks messages below it even if none arrived after them
   */
  private void endConnection(String listener, int least) {
    if (least > 0) {
      acknowledged.keySet().forEach(publisher -> receivedBy(listener, publisher));
    }
    receivedByListener
        .getOrDefault(listener, Map.of())
        .forEach(
            (publisher, of) ->
                closedConnections.add(
                    new ClosedConnection(listener, publisher, of, Math.max(least, of.highest))));
  }

  private void findMissed(ClosedConnection connection) {
    ReceivedMessages got = connection.received;
    BitSet missing = (BitSet) acknowledged.getOrDefault(connection.publisher, new BitSet()).clone();
    missing.andNot(got.once);
    missing.stream()
        .filter(number -> number >= got.first && number < connection.end)
        .forEach(
            number ->
                findings.add(
                    new Finding.Missed(connection.listener, connection.publisher, number)));
  }
}
