package io.fjordmq.broker.chaos;

import static java.util.Locale.ROOT;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One thing that happened, as one line of text:
 *
 * <pre>
 * millis published PUBLISHER NUMBER
 * millis acknowledged PUBLISHER NUMBER
 * millis received SUBSCRIBER PUBLISHER NUMBER
 * millis subscribed CLIENT NUMBER
 * millis probed CLIENT NUMBER
 * millis heard CLIENT NUMBER
 * millis unheard CLIENT NUMBER
 * millis connected CLIENT NODE
 * millis lost CLIENT NODE
 * millis fault NODE,NODE WORDS
 * millis note WORDS
 * </pre>
 *
 * Names contain no blanks. Times are milliseconds since the start of the run.
 */
sealed interface HistoryEvent {

  long millis();

  /** The client sent the message for the first time; it may repeat it. */
  record Published(long millis, String publisher, int number) implements HistoryEvent {}

  /** The broker acknowledged the message: PUBACK or PUBCOMP without an error. */
  record Acknowledged(long millis, String publisher, int number) implements HistoryEvent {}

  /** A subscriber's client received the message. */
  record Received(long millis, String subscriber, String publisher, int number)
      implements HistoryEvent {}

  /** The steps of a subscription of a {@link LiveProbe} or {@link LiveListener}. */
  enum Step {
    /** The broker acknowledged the subscription. */
    SUBSCRIBED,
    /** The broker acknowledged a message published to it afterwards. */
    PROBED,
    /** That message arrived. */
    HEARD,
    /** The message did not arrive before the timeout. */
    UNHEARD
  }

  /** A step of a subscription that ends with the connection of its client. */
  record Live(long millis, Step step, String client, int number) implements HistoryEvent {}

  /** A client has connected to a node. */
  record Connected(long millis, String client, int node) implements HistoryEvent {}

  /** A client lost the connection to its node without disconnecting. */
  record Lost(long millis, String client, int node) implements HistoryEvent {}

  /** A fault is about to be injected at these nodes. */
  record Fault(long millis, Set<Integer> nodes, String words) implements HistoryEvent {}

  /** A remark that the checker ignores. */
  record Note(long millis, String words) implements HistoryEvent {}

  default String line() {
    if (this instanceof Published p) {
      return p.millis + " published " + p.publisher + " " + p.number;
    }
    if (this instanceof Acknowledged a) {
      return a.millis + " acknowledged " + a.publisher + " " + a.number;
    }
    if (this instanceof Received r) {
      return r.millis + " received " + r.subscriber + " " + r.publisher + " " + r.number;
    }
    if (this instanceof Live l) {
      return l.millis + " " + l.step.name().toLowerCase(ROOT) + " " + l.client + " " + l.number;
    }
    if (this instanceof Connected c) {
      return c.millis + " connected " + c.client + " " + c.node;
    }
    if (this instanceof Lost l) {
      return l.millis + " lost " + l.client + " " + l.node;
    }
    if (this instanceof Fault f) {
      String nodes =
          new TreeSet<>(f.nodes).stream().map(String::valueOf).collect(Collectors.joining(","));
      return f.millis + " fault " + nodes + " " + f.words;
    }
    return millis() + " note " + ((Note) this).words;
  }

  /**
   * @throws IllegalArgumentException if the line has none of the formats above
   */
  static HistoryEvent parse(String line) {
    String[] words = line.split(" ", 5);
    try {
      long millis = Long.parseLong(words[0]);
      String rest = line.substring(line.indexOf(' ', words[0].length() + 1) + 1);
      return switch (words[1]) {
        case "published" -> new Published(millis, words[2], Integer.parseInt(words[3]));
        case "acknowledged" -> new Acknowledged(millis, words[2], Integer.parseInt(words[3]));
        case "received" -> new Received(millis, words[2], words[3], Integer.parseInt(words[4]));
        case "subscribed", "probed", "heard", "unheard" ->
            new Live(
                millis,
                Step.valueOf(words[1].toUpperCase(ROOT)),
                words[2],
                Integer.parseInt(words[3]));
        case "connected" -> new Connected(millis, words[2], Integer.parseInt(words[3]));
        case "lost" -> new Lost(millis, words[2], Integer.parseInt(words[3]));
        case "fault" -> new Fault(millis, nodes(words[2]), rest.substring(rest.indexOf(' ') + 1));
        case "note" -> new Note(millis, rest);
        default -> throw new IllegalArgumentException("no such event");
      };
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new IllegalArgumentException("not an event of a history: '" + line + "'", e);
    }
  }

  private static Set<Integer> nodes(String joined) {
    return Stream.of(joined.split(",")).map(Integer::valueOf).collect(Collectors.toSet());
  }
}
