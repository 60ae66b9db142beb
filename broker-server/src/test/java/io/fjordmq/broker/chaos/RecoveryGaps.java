package io.fjordmq.broker.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How long clients were without service between one fault and the next, for information only. All
 * values are in milliseconds, for the client that waited longest; {@link #NONE} if none did.
 *
 * @param fault the injected fault
 * @param others longest wait of a publisher for an acknowledgement, among those connected to a node
 *     that was not affected
 * @param noticed from the fault until a publisher at an affected node lost its connection;
 *     publishers that kept theirs do not count
 * @param back from then to its next acknowledgement, at any node
 * @param longest the longest wait of any publisher
 * @param silence the longest time between two messages received by one subscriber
 */
record RecoveryGaps(
    String fault, long others, long noticed, long back, long longest, long silence) {
  static final long NONE = -1;

  /** One for each fault, in their order. */
  static List<RecoveryGaps> of(Stream<HistoryEvent> history) {
    Reader reader = new Reader();
    history.forEach(reader::process);
    reader.endWindow();
    return reader.gaps;
  }

  /** The kind of fault: the text before its details. */
  String kind() {
    int details = fault.indexOf('[');
    return details < 0 ? fault : fault.substring(0, details);
  }

  /**
   * One of the values over several faults.
   *
   * @param count number of faults that affected such a client
   * @param median the median, the larger of two; {@link #NONE} if there is none
   * @param worst the largest
   */
  record GapSummary(int count, long median, long worst) {
    static GapSummary of(List<RecoveryGaps> gaps, ToLongFunction<RecoveryGaps> figure) {
      List<Long> sorted =
          gaps.stream().map(figure::applyAsLong).filter(gap -> gap != NONE).sorted().toList();
      int count = sorted.size();
      return count == 0
          ? new GapSummary(0, NONE, NONE)
          : new GapSummary(count, sorted.get(count / 2), sorted.get(count - 1));
    }

    @Override
    public String toString() {
      return count == 0 ? "-" : median + "/" + worst;
    }
  }

  /** The events between one fault and the next. */
  private static final class Window {
    private final HistoryEvent.Fault fault;

    /** Publishers that were connected to an affected node. */
    private final Set<String> affectedClients = new HashSet<>();

    private final Map<String, Long> lostAt = new HashMap<>();
    private final Set<String> back = new HashSet<>();
    private long othersMillis = NONE;
    private long noticedMillis = NONE;
    private long backMillis = NONE;
    private long longestMillis = NONE;
    private long silenceMillis = NONE;

    Window(HistoryEvent.Fault fault, Map<String, Integer> where) {
      this.fault = fault;
      where.forEach(
          (client, node) -> {
            if (fault.nodes().contains(node)) {
              affectedClients.add(client);
            }
          });
    }

    void onLost(HistoryEvent.Lost event) {
      if (affectedClients.contains(event.client()) && !lostAt.containsKey(event.client())) {
        lostAt.put(event.client(), event.millis());
      }
    }

    void onAcknowledged(HistoryEvent.Acknowledged event, long waited) {
      String publisher = event.publisher();
      longestMillis = Math.max(longestMillis, waited);
      if (!affectedClients.contains(publisher)) {
        othersMillis = Math.max(othersMillis, waited);
        return;
      }
      Long lost = lostAt.get(publisher);
      if (lost != null && back.add(publisher)) {
        noticedMillis = Math.max(noticedMillis, lost - fault.millis());
        backMillis = Math.max(backMillis, event.millis() - lost);
      }
    }

    RecoveryGaps gaps() {
      return new RecoveryGaps(
          fault.words(), othersMillis, noticedMillis, backMillis, longestMillis, silenceMillis);
    }
  }

  private static final class Reader {
    private final List<RecoveryGaps> gaps = new ArrayList<>();
    private final Map<String, Integer> nodeByClient = new HashMap<>();
    private final Map<String, Map<Integer, Long>> unacknowledged = new HashMap<>();
    private final Map<String, Long> lastArrival = new HashMap<>();
    private @Nullable Window window;

    void process(HistoryEvent event) {
      if (event instanceof HistoryEvent.Fault fault) {
        endWindow();
        window = new Window(fault, nodeByClient);
      } else if (event instanceof HistoryEvent.Connected connected) {
        nodeByClient.put(connected.client(), connected.node());
      } else if (event instanceof HistoryEvent.Lost lost) {
        nodeByClient.remove(lost.client());
        if (window != null) {
          window.onLost(lost);
        }
      } else if (event instanceof HistoryEvent.Published published) {
        unacknowledged
            .computeIfAbsent(published.publisher(), name -> new HashMap<>())
            .put(published.number(), published.millis());
      } else if (event instanceof HistoryEvent.Acknowledged acknowledged) {
        onAcknowledged(acknowledged);
      } else if (event instanceof HistoryEvent.Received received) {
        Long before = lastArrival.put(received.subscriber(), received.millis());
        if (window != null && before != null) {
          window.silenceMillis = Math.max(window.silenceMillis, received.millis() - before);
        }
      }
    }

    private void onAcknowledged(HistoryEvent.Acknowledged event) {
      Long published =
          unacknowledged.getOrDefault(event.publisher(), new HashMap<>()).remove(event.number());
      if (window != null && published != null) {
        window.onAcknowledged(event, event.millis() - published);
      }
    }

    void endWindow() {
      if (window != null) {
        gaps.add(window.gaps());
      }
    }
  }
}
