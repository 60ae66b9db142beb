package io.fjordmq.broker.chaos;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Finds broken promises in a history: every subscriber was subscribed to every publisher from
 * before its first message, with a persistent session, and was connected to the end.
 */
final class HistoryChecker {

  /** A promise that was not kept, for one message or a run of them. */
  sealed interface Finding {

    /** Acknowledged, and the subscriber never got it. */
    record Lost(String subscriber, String publisher, int number) implements Finding {}

    /** Sent exactly once, and the subscriber got it again. */
    record Doubled(String subscriber, String publisher, int number) implements Finding {}

    /** The subscriber got it for the first time after it had got a later one. */
    record Reordered(String subscriber, String publisher, int number, int after)
        implements Finding {}

    /**
     * Acknowledged and published after a live subscription was; its connection went on, and it
     * never came.
     */
    record Missed(String client, String publisher, int number) implements Finding {}

    /** The same for the one message that was published to a subscription of its own. */
    record Silent(String client, int number) implements Finding {}

    /** Nobody ever published what the subscriber got. */
    record Invented(String subscriber, String publisher, int number) implements Finding {}

    /** The publisher was told twice that the broker has it, or for something it did not send. */
    record AcknowledgedWrongly(String publisher, int number) implements Finding {}
  }

  /** What one publisher sent. */
  private static final class Sent {
    private final BitSet published = new BitSet();
    private final BitSet acknowledged = new BitSet();
  }

  /** What one subscriber got of one publisher. */
  private static final class Got {
    private final BitSet once = new BitSet();
    private int highest = -1;
  }

  private record Way(String subscriber, String publisher) {}

  private final Set<String> exactlyOnce;
  private final Map<String, Sent> sent = new TreeMap<>();
  private final Map<Way, Got> got =
      new TreeMap<>(Comparator.comparing(Way::subscriber).thenComparing(Way::publisher));
  private final Set<String> subscribers = new TreeSet<>();
  private final List<Finding> findings = new ArrayList<>();

  private HistoryChecker(Set<String> subscribers, Set<String> exactlyOnce) {
    this.subscribers.addAll(subscribers);
    this.exactlyOnce = exactlyOnce;
  }

  /**
   * @param subscribers who must have got everything
   * @param exactlyOnce the publishers whose messages nobody may get twice
   */
  static List<Finding> check(
      Stream<HistoryEvent> history, Set<String> subscribers, Set<String> exactlyOnce) {
    HistoryChecker checker = new HistoryChecker(subscribers, exactlyOnce);
    history.forEach(checker::take);
    checker.findLost();
    return checker.findings;
  }

  private void take(HistoryEvent event) {
    if (event instanceof HistoryEvent.Published published) {
      sent(published.publisher()).published.set(published.number());
    } else if (event instanceof HistoryEvent.Acknowledged acknowledged) {
      acknowledged(acknowledged.publisher(), acknowledged.number());
    } else if (event instanceof HistoryEvent.Received received) {
      received(received.subscriber(), received.publisher(), received.number());
    }
  }

  private Sent sent(String publisher) {
    return sent.computeIfAbsent(publisher, name -> new Sent());
  }

  private void acknowledged(String publisher, int number) {
    Sent by = sent(publisher);
    if (!by.published.get(number) || by.acknowledged.get(number)) {
      findings.add(new Finding.AcknowledgedWrongly(publisher, number));
    }
    by.acknowledged.set(number);
  }

  private void received(String subscriber, String publisher, int number) {
    if (!subscribers.contains(subscriber)) {
      return; // it is LiveChecker's
    }
    Got before = got.computeIfAbsent(new Way(subscriber, publisher), way -> new Got());
    if (!sent(publisher).published.get(number)) {
      findings.add(new Finding.Invented(subscriber, publisher, number));
    }
    if (before.once.get(number)) {
      if (exactlyOnce.contains(publisher)) {
        findings.add(new Finding.Doubled(subscriber, publisher, number));
      }
      return;
    }
    if (number < before.highest) {
      findings.add(new Finding.Reordered(subscriber, publisher, number, before.highest));
    }
    before.once.set(number);
    before.highest = Math.max(before.highest, number);
  }

  private void findLost() {
    for (String subscriber : subscribers) {
      for (Map.Entry<String, Sent> by : sent.entrySet()) {
        BitSet missing = (BitSet) by.getValue().acknowledged.clone();
        Got arrived = got.get(new Way(subscriber, by.getKey()));
        if (arrived != null) {
          missing.andNot(arrived.once);
        }
        missing.stream()
            .forEach(number -> findings.add(new Finding.Lost(subscriber, by.getKey(), number)));
      }
    }
  }
}
