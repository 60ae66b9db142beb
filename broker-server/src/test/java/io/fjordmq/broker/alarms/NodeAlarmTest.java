package io.fjordmq.broker.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The alarms of several nodes become one list. */
class NodeAlarmTest {
  private static Instant at(int second) {
    return Instant.ofEpochSecond(1_000 + second);
  }

  private static Alarm alarm(String name, boolean clusterWide, int begin, @Nullable Integer end) {
    return new Alarm(
        name,
        "x",
        clusterWide,
        "m",
        Map.of(),
        at(begin),
        end == null ? null : at(Objects.requireNonNull(end)));
  }

  private static List<String> merged(Map<String, List<Alarm>> byNode) {
    return NodeAlarm.merge(byNode).stream()
        .map(
            one -> {
              Instant end = one.alarm().deactivatedAt();
              return "%s %d-%s %s"
                  .formatted(
                      one.alarm().name(),
                      one.alarm().activatedAt().getEpochSecond() - 1_000,
                      end == null ? "" : String.valueOf(end.getEpochSecond() - 1_000),
                      String.join("+", one.nodes()));
            })
        .toList();
  }

  @Test
  void shouldShowAnAlarmOfTheClusterOnce() {
    assertThat(
            merged(
                Map.of(
                    "n1", List.of(alarm("range", true, 7, null), alarm("disk", false, 7, null)),
                    "n2", List.of(alarm("range", true, 5, null), alarm("disk", false, 8, null)),
                    "n3", List.of(alarm("range", true, 6, 9)))))
        .containsExactly("disk 8- n2", "disk 7- n1", "range 5- n2+n3+n1");
  }

  @Test
  void shouldKeepAlarmsOfDifferentTimesApart() {
    assertThat(
            merged(
                Map.of(
                    "n1", List.of(alarm("range", true, 20, null), alarm("range", true, 1, 10)),
                    "n2", List.of(alarm("range", true, 3, 12)))))
        .containsExactly("range 20- n1", "range 1-12 n1+n2");
  }
}
