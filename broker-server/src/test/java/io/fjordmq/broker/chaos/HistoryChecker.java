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
 * Finds violations in a history. Every subscriber subscribed to every publisher before its first
 * message, with a persistent session, and was connected at the end.
 */
final class HistoryChecker {

  /** A violated guarantee, for one message or several consecutive ones. */
  sealed interface Finding {

    /** The message was acknowledged, but the subscriber never received it. */
    record Lost(String subscriber, String publisher, int number) implements Finding {}

    /** The message was sent exactly once, but the subscriber received it again. */
    record Duplicated(String subscriber, String publisher, int number) implements Finding {}

    /** The subscriber received the message for the first time after a later one. */
    record Reordered(String subscriber, String publisher, int number, int after)
        implements Finding {}

    /**
     * The message was published after the SUBACK and acknowledged. It never arrived although the
     * subscriber's connection stayed open.
     */
    record Missed(String client, String publisher, int number) implements Finding {}

    /** The single message published to a probe's subscription never arrived. */
    record ProbeLost(String client, int number) implements Finding {}

    /** The subscriber received a message that nobody published. */
    record NeverPublished(String subscriber, String publisher, int number) implements Finding {}

    /** The publisher received a second acknowledgement, or one for a message it did not send. */
    record UnexpectedAcknowledgement(String publisher, int number) implements Finding {}
  }

  /** The messages of one publisher. */
  private static final class SentMessages {
    private final BitSet published = new BitSet();
    private final BitSet acknowledged = new BitSet();
  }

  /** The messages one subscriber received from one publisher. */
  private static final class ReceivedMessages {
    private final BitSet once = new BitSet();
    private int highest = -1;
  }

  private record Flow(String subscriber, String publisher) {}

  private final Set<String> exactlyOnce;
  private final Map<String, SentMessages> sent = new TreeMap<>();
  private final Map<Flow, ReceivedMessages> received =
      new TreeMap<>(Comparator.comparing(Flow::subscriber).thenComparing(Flow::publisher));
  private final Set<String> subscribers = new TreeSet<>();
  private final List<Finding> findings = new ArrayList<>();

  private HistoryChecker(Set<String> subscribers, Set<String> exactlyOnce) {
    this.subscribers.addAll(subscribers);
    this.exactlyOnce = exactlyOnce;
  }

  /**
   * @param subscribers must have received every message
   * @param exactlyOnce publishers whose messages must not arrive twice
   */
  static List<Finding> check(
      Stream<HistoryEvent> history, Set<String> subscribers, Set<String> exactlyOnce) {
    HistoryChecker checker = new HistoryChecker(subscribers, exactlyOnce);
    history.forEach(checker::process);
    checker.findLost();
    return checker.findings;
  }

  private void process(HistoryEvent event) {
    if (event instanceof HistoryEvent.Published published) {
      sentBy(published.publisher()).published.set(published.number());
    } else if (event instanceof HistoryEvent.Acknowledged acknowledged) {
      onAcknowledged(acknowledged.publisher(), acknowledged.number());
    } else if (event instanceof HistoryEvent.Received received) {
      onReceived(received.subscriber(), received.publisher(), received.number());
    }
  }

  private SentMessages sentBy(String publisher) {
    return sent.computeIfAbsent(publisher, name -> new SentMessages());
  }

  private void onAcknowledged(String publisher, int number) {
    SentMessages by = sentBy(publisher);
    if (!by.published.get(number) || by.acknowledged.get(number)) {
      findings.add(new Finding.UnexpectedAcknowledgement(publisher, number));
    }
    by.acknowledged.set(number);
  }

  private void onReceived(String subscriber, String publisher, int number) {
    if (!subscribers.contains(subscriber)) {
      return; // LiveChecker handles it
    }
    ReceivedMessages before =
        received.computeIfAbsent(new Flow(subscriber, publisher), way -> new ReceivedMessages());
    if (!sentBy(publisher).published.get(number)) {
      findings.add(new Finding.NeverPublished(subscriber, publisher, number));
    }
    if (before.once.get(number)) {
      if (exactlyOnce.contains(publisher)) {
        findings.add(new Finding.Duplicated(subscriber, publisher, number));
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
      for (Map.Entry<String, SentMessages> by : sent.entrySet()) {
        BitSet missing = (BitSet) by.getValue().acknowledged.clone();
        ReceivedMessages arrived = received.get(new Flow(subscriber, by.getKey()));
        if (arrived != null) {
          missing.andNot(arrived.once);
        }
        missing.stream()
            .forEach(number -> findings.add(new Finding.Lost(subscriber, by.getKey(), number)));
      }
    }
  }
}
