package io.fjordmq.broker.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When alarms are activated and deactivated, in simulated time. */
class AlarmTrackerTest {
  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
  private static final AlarmSettings SETTINGS =
      new AlarmSettings(
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          3,
          Duration.ofDays(1),
          Duration.ofSeconds(1),
          80,
          Duration.ofDays(1));
  private static final AlarmCondition DISK =
      AlarmCondition.of(AlarmKind.DISK_LOW, "", "Low disk space");
  private static final AlarmCondition RANGE =
      AlarmCondition.of(AlarmKind.RANGE_WITHOUT_LEADER, "inbox-1", "Range inbox-1 has no leader");

  private final Map<AlarmKind, Integer> counts = new EnumMap<>(AlarmKind.class);
  private final AlarmTracker tracker = new AlarmTracker(SETTINGS, counts::put);
  private Instant now = START;

  private void update(int seconds, AlarmCondition... conditions) {
    now = START.plusSeconds(seconds);
    tracker.update(now, List.of(conditions));
  }

  private List<String> active() {
    return tracker.list().stream().filter(Alarm::isActive).map(Alarm::name).toList();
  }

  private List<Alarm> history() {
    return tracker.list().stream().filter(alarm -> !alarm.isActive()).toList();
  }

  @Test
  void shouldActivateAtOnceAndDeactivateOnceTheConditionHasBeenGoneForSomeTime() {
    update(0, DISK);
    assertThat(active()).containsExactly("disk_low");
    assertThat(counts).containsEntry(AlarmKind.DISK_LOW, 1);
    update(5);
    update(30, DISK); // back in time: still the same alarm
    update(59);
    assertThat(active()).containsExactly("disk_low");
    update(60);
    assertThat(active()).isEmpty();
    assertThat(counts).containsEntry(AlarmKind.DISK_LOW, 0);
    assertThat(history())
        .singleElement()
        .satisfies(
            alarm -> {
              assertThat(alarm.activatedAt()).isEqualTo(START);
              assertThat(alarm.deactivatedAt()).isEqualTo(START.plusSeconds(60));
              assertThat(alarm.duration(now)).isEqualTo(Duration.ofSeconds(60));
            });
  }

  @Test
  void shouldIgnoreConditionsThatAreNormalForAShortTime() {
    update(0, RANGE);
    update(5, RANGE);
    update(6);
    update(9, RANGE);
    update(18, RANGE);
    assertThat(active()).as("gone in between").isEmpty();
    update(19, RANGE);
    assertThat(active()).containsExactly("range_without_leader");
  }

  @Test
  void shouldShowTheCurrentMessageSinceTheActivation() {
    update(0, DISK);
    update(5, AlarmCondition.of(AlarmKind.DISK_LOW, "", "Even lower", "free", "1"));
    assertThat(tracker.list())
        .singleElement()
        .satisfies(
            alarm -> {
              assertThat(alarm.message()).isEqualTo("Even lower");
              assertThat(alarm.details()).containsEntry("free", "1");
              assertThat(alarm.activatedAt()).isEqualTo(START);
            });
  }

  @Test
  void shouldKeepSubjectsApart() {
    update(0, certificate("a"), certificate("b"), certificate("a"));
    assertThat(active()).hasSize(2);
    assertThat(counts).containsEntry(AlarmKind.CERTIFICATE_EXPIRING, 2);
  }

  @Test
  void shouldRememberTheLatestDeactivatedAlarmsUntilTheyAreCleared() {
    for (int i = 0; i < 5; i++) {
      update(100 * i, certificate("c" + i));
      update(100 * i + 50);
    }
    assertThat(history()).extracting(Alarm::subject).containsExactly("c4", "c3", "c2");
    update(1_000, DISK);
    tracker.clearHistory();
    assertThat(history()).isEmpty();
    assertThat(active()).containsExactly("disk_low");
  }

  @Test
  void shouldBoundTheNumberOfActiveAlarms() {
    List<AlarmCondition> many = new ArrayList<>();
    for (int i = 0; i < AlarmTracker.MAX_ACTIVE + 10; i++) {
      many.add(certificate("c" + i));
    }
    tracker.update(now, many);
    assertThat(active()).hasSize(AlarmTracker.MAX_ACTIVE);
  }

  private static AlarmCondition certificate(String listener) {
    return AlarmCondition.of(AlarmKind.CERTIFICATE_EXPIRING, listener, "Expires");
  }
}
