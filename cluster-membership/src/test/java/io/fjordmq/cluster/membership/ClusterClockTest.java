package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.ClockReport.Source;
import io.fjordmq.cluster.membership.ClusterClock.Reading;
import io.fjordmq.cluster.membership.LeaderResponse.ClockAccepted;
import io.fjordmq.cluster.membership.LeaderResponse.Failed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterClockTest {
  private static final long START = Instant.parse("2030-01-01T00:00:00Z").toEpochMilli();
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final long LEASE = 3_000;
  private static final long MAX_ADVANCE = Duration.ofHours(1).toMillis();
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");

  private long wall = START;
  private long monotonic = 5_000;
  private final ClusterClock clock = clock(0);

  private ClusterClock clock(long saved) {
    return new ClusterClock(
        () -> Instant.ofEpochMilli(wall), () -> monotonic, saved, 1_000, MAX_ADVANCE);
  }

  private void advanceClocks(long millis) {
    wall += millis;
    monotonic += millis;
  }

  @Test
  void shouldNotBeKnownBeforeTheLeaderResponds() {
    assertThat(clock.stampMillis()).isEqualTo(ClusterClock.UNKNOWN);
    assertThat(clock.adjustTo(clock.read(), START + 500)).isTrue();
    assertThat(clock.stampMillis()).isEqualTo(START + 500);
  }

  @Test
  void shouldStayWithinTheRoundTripTimeOfTheLeadersResponse() {
    Reading sent = clock.read();
    advanceClocks(40);
    clock.adjustTo(sent, START);
    assertThat(clock.millis()).isEqualTo(START);
    advanceClocks(960);
    sent = clock.read();
    advanceClocks(10);
    clock.adjustTo(sent, START + 1_020);
    assertThat(clock.millis()).as("raised to the saved time").isEqualTo(START + 1_020);
    sent = clock.read();
    advanceClocks(10);
    clock.adjustTo(sent, START + 1_000);
    assertThat(clock.millis()).as("at most that far ahead").isEqualTo(START + 1_011);
  }

  @Test
  void shouldStampNothingAndHaveNoLeaseAfterAJumpUntilTheNextRenewal() {
    for (long jump : new long[] {DAY, -DAY, 2_000, -2_000}) {
      clock.adjustTo(clock.read(), START);
      advanceClocks(100);
      assertThat(clock.wasRenewedWithin(LEASE)).isTrue();
      wall += jump;
      assertThat(clock.stampMillis()).isEqualTo(ClusterClock.UNKNOWN);
      assertThat(clock.wasRenewedWithin(LEASE)).isFalse();
      assertThat(clock.millis()).isBetween(START, START + 101);
      clock.adjustTo(clock.read(), START + 200);
      assertThat(clock.stampMillis()).isEqualTo(START + 200);
      assertThat(clock.wasRenewedWithin(LEASE)).isTrue();
    }
  }

  @Test
  void shouldIncludeTheTimeThatTheMachineWasSuspended() {
    clock.adjustTo(clock.read(), START);
    advanceClocks(2_500);
    wall += 600; // below the detection threshold for jumps
    assertThat(clock.wasRenewedWithin(LEASE)).isFalse();
    clock.adjustTo(clock.read(), START + 3_100);
    wall += DAY;
    assertThat(clock.wasRenewedWithin(LEASE)).isFalse();
    assertThat(clock.stampMillis()).isEqualTo(ClusterClock.UNKNOWN);
  }

  @Test
  void shouldIgnoreAResponseIfAClockJumpedMeanwhile() {
    Reading sent = clock.read();
    wall += DAY;
    assertThat(clock.adjustTo(sent, START)).isFalse();
    assertThat(clock.stampMillis()).isEqualTo(ClusterClock.UNKNOWN);
  }

  @Test
  void shouldStartFromTheMedianClockOfTheVoters() {
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START, START, Source.GUESS), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    votes.onReport(B, new ClockReport(START + DAY, START + DAY, Source.GUESS), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    votes.onReport(C, new ClockReport(START - DAY, START - DAY, Source.GUESS), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(clock.millis()).isEqualTo(START);
  }

  @Test
  void shouldStartFromTheClusterTimeThatANodeKnows() {
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START - DAY, START - DAY, Source.GUESS), monotonic);
    votes.onReport(B, new ClockReport(START + DAY, START + 7, Source.KNOWN), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(clock.millis()).isEqualTo(START + 7);
  }

  @Test
  void shouldNotWaitLongerThanALeaseForAllVoters() {
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START, START, Source.GUESS), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    votes.onReport(B, new ClockReport(START + DAY, START + DAY, Source.GUESS), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    advanceClocks(LEASE);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(clock.millis()).isEqualTo(START + LEASE);
  }

  @Test
  void shouldNotStartWithReportsFromAMinorityOfVoters() {
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START - DAY, START - DAY, Source.GUESS), monotonic);
    advanceClocks(2 * LEASE);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    votes.onReport(B, new ClockReport(START + DAY, START + 7, Source.KNOWN), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(clock.millis()).isEqualTo(START + 7);
  }

  @Test
  void shouldContinueFromTheSavedTimeWhenMostClocksAreFarAheadAtStartup() {
    ClusterClock restarted = clock(START - DAY);
    ClockVotes votes = new ClockVotes(restarted, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START, START - 2 * DAY, Source.SAVED), monotonic);
    votes.onReport(B, new ClockReport(START + 7, START - DAY, Source.SAVED), monotonic);
    advanceClocks(50);
    votes.onReport(C, new ClockReport(START - DAY, START - DAY, Source.GUESS), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(restarted.millis()).as("the latest saved time").isEqualTo(START - DAY + 50);
  }

  @Test
  void shouldFollowWallClocksAtStartupWithinMaxClockAdvance() {
    ClusterClock restarted = clock(START);
    ClockVotes votes = new ClockVotes(restarted, LEASE, monotonic);
    long later = START + MAX_ADVANCE;
    votes.onReport(A, new ClockReport(later, START - DAY, Source.SAVED), monotonic);
    votes.onReport(B, new ClockReport(later + DAY, START, Source.SAVED), monotonic);
    assertThat(votes.decide(Set.of(A, B), monotonic)).isTrue();
    assertThat(restarted.millis()).isEqualTo(later);
  }

  @Test
  void shouldReportTheSavedTimeUntilClusterTimeIsKnown() {
    ClusterClock restarted = clock(START - DAY);
    advanceClocks(20);
    assertThat(restarted.report(restarted.read()))
        .isEqualTo(new ClockReport(START + 20, START - DAY + 20, Source.SAVED));
    assertThat(clock.report(clock.read()).source()).isEqualTo(Source.GUESS);
    restarted.adjustTo(restarted.read(), START);
    assertThat(restarted.report(restarted.read()))
        .isEqualTo(new ClockReport(START + 20, START, Source.KNOWN));
  }

  @Test
  void shouldFollowTheWallClocksOnceTheOperatorAcceptsThem() {
    clock.setClusterTime(START - DAY);
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START, 0, Source.KNOWN), monotonic);
    assertThat(votes.acceptWallClock(Set.of(A, B, C), monotonic)).isInstanceOf(Failed.class);
    votes.onReport(B, new ClockReport(START + DAY, 0, Source.KNOWN), monotonic);
    assertThat(votes.acceptWallClock(Set.of(A, B, C), monotonic)).isEqualTo(new ClockAccepted(DAY));
    assertThat(clock.millis()).isEqualTo(START);
    assertThat(votes.acceptWallClock(Set.of(A, B, C), monotonic)).isInstanceOf(Failed.class);
  }

  @Test
  void shouldConvergeToTheMedianWallClockWithoutJumps() {
    clock.setClusterTime(START);
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    for (int i = 0; i < 1_000; i++) {
      advanceClocks(100);
      wall += i == 500 ? DAY : 0; // the clock of this host jumps in the meantime
      votes.onReport(A, new ClockReport(wall + DAY, 0, Source.KNOWN), monotonic);
      votes.onReport(B, new ClockReport(wall + DAY, 0, Source.KNOWN), monotonic);
      votes.onReport(C, new ClockReport(wall, 0, Source.KNOWN), monotonic);
      votes.correct(monotonic);
    }
    // 100 s, corrected by 50 ms; the step in which the clocks disagreed may or may not count.
    assertThat(clock.millis()).isBetween(START + 99_900, START + 100_050);
    assertThat(clock.millis()).isNotEqualTo(START + 100_000);
  }

  @Test
  void shouldContinueFromTheSavedTimeWhenTheClockIsBehindAtStartup(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("clock");
    ClockFile.open(file, Runnable::run).save(START);
    assertThat(Files.readString(file)).isEqualTo("fjordmq clock, form 1\n1893456000000\n");
    long kept = ClockFile.open(file, Runnable::run).savedMillis();
    wall = START - DAY;
    ClusterClock restarted = clock(kept);
    assertThat(restarted.millis()).isEqualTo(START);
    wall = START + MAX_ADVANCE;
    assertThat(clock(kept).millis()).as("a stop").isEqualTo(START + MAX_ADVANCE);
    wall = START + DAY;
    assertThat(clock(kept).millis()).as("too far ahead").isEqualTo(START);
    Files.writeString(file, "fjordmq clock, form 2\n1\n");
    assertThat(ClockFile.open(file, Runnable::run).savedMillis()).isZero();
  }
}
