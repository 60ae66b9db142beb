package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The clock reports and warnings of a node, and when it saves cluster time. */
class ClockWatchTest {
  private static final long START = Instant.parse("2030-01-01T00:00:00Z").toEpochMilli();
  private static final long TOLERANCE = 1_000;
  private static final long MAX_ADVANCE = 3_600_000;

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(ClockWatch.class);
  private final List<Long> saved = new ArrayList<>();
  private long wall = START;
  private long monotonic = 5_000;
  private final ClusterClock clock =
      new ClusterClock(
          () -> Instant.ofEpochMilli(wall), () -> monotonic, 0, TOLERANCE, MAX_ADVANCE);
  private final ClockWatch watch = new ClockWatch(clock, ClockFile.of(0, saved::add));

  @BeforeEach
  void listen() {
    log.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(log);
    logger.setLevel(null); // as configured for all tests
  }

  private void advanceClocks(long millis) {
    wall += millis;
    monotonic += millis;
  }

  private void renew(long clusterMillis) {
    assertThat(watch.onRenewed(watch.beforeRenewal(), clusterMillis)).isTrue();
  }

  /** The messages logged since the last call. */
  private List<String> logged(Level level) {
    List<String> lines =
        log.list.stream()
            .filter(event -> event.getLevel() == level)
            .map(ILoggingEvent::getFormattedMessage)
            .toList();
    log.list.clear();
    return lines;
  }

  @Test
  void shouldWarnOnceForEachJump() {
    watch.beforeRenewal();
    assertThat(logged(Level.WARN)).as("cluster time is not known yet").isEmpty();
    renew(START);
    for (int jump = 0; jump < 2; jump++) {
      advanceClocks(500);
      wall += 2 * TOLERANCE;
      watch.beforeRenewal();
      watch.beforeRenewal();
      assertThat(logged(Level.WARN))
          .singleElement()
          .asString()
          .contains("The wall clock was changed or the host was suspended");
      wall -= 2 * TOLERANCE;
      renew(START + monotonic - 5_000);
    }
  }

  @Test
  void shouldIgnoreARenewalDuringWhichAClockJumped() {
    ClusterClock.Reading sent = watch.beforeRenewal();
    wall += 2 * TOLERANCE;
    assertThat(watch.onRenewed(sent, START)).isFalse();
    assertThat(saved).isEmpty();
  }

  @Test
  void shouldWarnOnceAboutAWrongClockAndReportWhenItIsCorrect() {
    renew(wall);
    assertThat(log.list).isEmpty();
    renew(wall + TOLERANCE + 1);
    renew(wall + TOLERANCE + 1);
    assertThat(logged(Level.WARN))
        .singleElement()
        .asString()
        .contains("The wall clock is behind cluster time")
        .contains("differenceMs=-1001");
    renew(wall + TOLERANCE);
    assertThat(log.list).as("the difference may fluctuate").isEmpty();
    renew(wall);
    assertThat(logged(Level.INFO))
        .singleElement()
        .asString()
        .contains("The wall clock agrees with cluster time again");
    renew(wall - TOLERANCE - 2); // a node may stay a millisecond ahead of the leader
    assertThat(logged(Level.WARN))
        .singleElement()
        .asString()
        .contains("The wall clock is ahead of cluster time")
        .doesNotContain("accept-clock");
  }

  @Test
  void shouldNameTheCommandIfTheClockIsTooFarAhead() {
    renew(wall - MAX_ADVANCE - 1);
    assertThat(logged(Level.WARN)).singleElement().asString().contains("accept-clock");
    assertThat(clock.wallAheadMillis()).as("for the metric").isEqualTo(MAX_ADVANCE + 1);
  }

  @Test
  void shouldSaveImmediatelyThenEveryMinuteAndWhenTheTimeIsSet() {
    renew(START);
    renew(START);
    assertThat(saved).as("at once").containsExactly(START);
    advanceClocks(59_999);
    renew(START + 59_999);
    assertThat(saved).hasSize(1);
    advanceClocks(1);
    renew(START + 60_000);
    assertThat(saved).as("after a minute").containsExactly(START, START + 60_000);
    renew(START + 2 * MAX_ADVANCE);
    assertThat(saved).as("accepted by the operator").hasSize(3).contains(START + 2 * MAX_ADVANCE);
  }
}
