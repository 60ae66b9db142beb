package io.fjordmq.perf.report;

import io.fjordmq.perf.load.Figure;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.scenario.Flow;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The runs of one scenario, with everything needed to repeat and assess them.
 *
 * @param scenario its name
 * @param summary one-line description
 * @param published what others measured with the original; may be empty
 * @param flow which clients receive which messages
 * @param command exactly as given
 * @param startedAt date and time, ISO 8601
 * @param facts about host, commit and settings, by name
 * @param notes how the work differs from what the name promises
 * @param warmSeconds before the measured period
 * @param seconds measured; for connection scenarios, how long connections are held
 * @param runs in chronological order
 */
public record Report(
    String scenario,
    String summary,
    String published,
    Flow flow,
    String command,
    String startedAt,
    Map<String, String> facts,
    List<String> notes,
    int warmSeconds,
    int seconds,
    List<RunResult> runs) {

  /** The brokers, in the order of their first runs. */
  public List<String> brokers() {
    Set<String> names = new LinkedHashSet<>();
    runs.forEach(run -> names.add(run.broker()));
    return List.copyOf(names);
  }

  public List<RunResult> runsOf(String broker) {
    return runs.stream().filter(run -> run.broker().equals(broker)).toList();
  }

  /**
   * The value over all runs of a broker: the sum for faults, otherwise the median, the lower one if
   * there are two.
   */
  public OptionalDouble overall(String broker, Figure figure) {
    double[] values =
        runsOf(broker).stream()
            .filter(run -> run.figures().containsKey(figure))
            .mapToDouble(run -> run.figures().getOrDefault(figure, 0.0))
            .sorted()
            .toArray();
    if (values.length == 0) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(
        figure.isFault() ? Arrays.stream(values).sum() : values[(values.length - 1) / 2]);
  }

  /** The run to draw: the median by CPU per message, otherwise the last. */
  public RunResult typical(String broker) {
    List<RunResult> all = runsOf(broker);
    OptionalDouble middle = overall(broker, Figure.CPU_MICROS);
    return all.stream()
        .filter(
            run ->
                middle.isPresent()
                    && run.figures().containsKey(Figure.CPU_MICROS)
                    && run.figures().getOrDefault(Figure.CPU_MICROS, 0.0) == middle.getAsDouble())
        .findFirst()
        .orElse(all.get(all.size() - 1));
  }

  /** Whether clients only connected and stayed connected. */
  public boolean isOfConnections() {
    return flow == Flow.CONNECTIONS;
  }

  /** Whether no broker had any fault. */
  public boolean hasNoFaults() {
    return runs.stream().allMatch(run -> run.faults().isEmpty());
  }
}
