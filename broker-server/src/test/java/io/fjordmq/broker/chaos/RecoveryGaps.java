package io.fjordmq.broker.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * How long publishers waited for an acknowledgement after each fault. A figure, not a verdict.
 *
 * @param fault what was done
 * @param millis the longest time between two acknowledgements of one publisher that began or ended
 *     between this fault and the next, the worst publisher's
 */
record RecoveryGaps(String fault, long millis) {

  /** One for each fault, in their order. */
  static List<RecoveryGaps> of(Stream<HistoryEvent> history) {
    List<RecoveryGaps> gaps = new ArrayList<>();
    Map<String, Long> lastAnswer = new TreeMap<>();
    String[] fault = {null};
    long[] longest = {0};
    history.forEach(
        event -> {
          if (event instanceof HistoryEvent.Fault next) {
            if (fault[0] != null) {
              gaps.add(new RecoveryGaps(fault[0], longest[0]));
            }
            fault[0] = next.words();
            longest[0] = 0;
          } else if (event instanceof HistoryEvent.Acknowledged answer) {
            Long before = lastAnswer.put(answer.publisher(), answer.millis());
            if (before != null) {
              longest[0] = Math.max(longest[0], answer.millis() - before);
            }
          }
        });
    if (fault[0] != null) {
      gaps.add(new RecoveryGaps(fault[0], longest[0]));
    }
    return gaps;
  }

  /** The middle one of the gaps of faults whose words begin so; -1 if there is none. */
  static long median(List<RecoveryGaps> gaps, String faults) {
    List<Long> sorted =
        gaps.stream()
            .filter(gap -> gap.fault.startsWith(faults))
            .map(RecoveryGaps::millis)
            .sorted()
            .toList();
    return sorted.isEmpty() ? -1 : sorted.get(sorted.size() / 2);
  }
}
