package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.ClusterClock.Reading;
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
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");

  private long wall = START;
  private long monotonic = 5_000;
  private final ClusterClock clock = clock(0);

  private ClusterClock clock(long floor) {
    return new ClusterClock(() -> Instant.ofEpochMilli(wall), () -> monotonic, floor, 1_000);
  }

  private void pass(long millis) {
    wall += millis;
    monotonic += millis;
  }

  @Test
  void shouldNotBeKnownBeforeTheLeaderHasAnswered() {
    assertThat(clock.stampMillis()).isEqualTo(ClusterClock.UNKNOWN);
    assertThat(clock.follow(clock.read(), START + 500)).isTrue();
    assertThat(clock.stampMillis()).isEqualTo(START + 500);
  }

  @Test
  void shouldStayBetweenWhatTheLeaderSaidAndHowLongTheAnswerTook() {
    Reading sent = clock.read();
    pass(40);
    clock.follow(sent, START);
    assertThat(clock.millis()).isEqualTo(START);
    pass(960);
    sent = clock.read();
    pass(10);
    clock.follow(sent, START + 1_020);
    assertThat(clock.millis()).as("raised to it").isEqualTo(START + 1_020);
    sent = clock.read();
    pass(10);
    clock.follow(sent, START + 1_000);
    assertThat(clock.millis()).as("no more than that ahead").isEqualTo(START + 1_011);
  }

  @Test
  void shouldStampNothingAndHaveNoLeaseAfterAJumpUntilTheNextRenewal() {
    for (long jump : new long[] {DAY, -DAY, 2_000, -2_000}) {
      clock.follow(clock.read(), START);
      pass(100);
      assertThat(clock.isWithin(LEASE)).isTrue();
      wall += jump;
      assertThat(clock.stampMillis()).isEqualTo(ClusterClock.UNKNOWN);
      assertThat(clock.isWithin(LEASE)).isFalse();
      assertThat(clock.millis()).isBetween(START, START + 101);
      clock.follow(clock.read(), START + 200);
      assertThat(clock.stampMillis()).isEqualTo(START + 200);
      assertThat(clock.isWithin(LEASE)).isTrue();
    }
  }

  @Test
  void shouldCountTheTimeForWhichTheMachineWasSuspended() {
    clock.follow(clock.read(), START);
    pass(2_500);
    wall += 600; // too little to be noticed as a jump
    assertThat(clock.isWithin(LEASE)).isFalse();
    clock.follow(clock.read(), START + 3_100);
    wall += DAY;
    assertThat(clock.isWithin(LEASE)).isFalse();
    assertThat(clock.stampMillis()).isEqualTo(ClusterClock.UNKNOWN);
  }

  @Test
  void shouldNotTakeAnAnswerWhileWhichAClockJumped() {
    Reading sent = clock.read();
    wall += DAY;
    assertThat(clock.follow(sent, START)).isFalse();
    assertThat(clock.stampMillis()).isEqualTo(ClusterClock.UNKNOWN);
  }

  @Test
  void shouldBeginWithWhatTheMiddleOfTheVotersSays() {
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START, START, false), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    votes.onReport(B, new ClockReport(START + DAY, START + DAY, false), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    votes.onReport(C, new ClockReport(START - DAY, START - DAY, false), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(clock.millis()).isEqualTo(START);
  }

  @Test
  void shouldBeginWithTheTimeThatAnyoneKnows() {
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START - DAY, START - DAY, false), monotonic);
    votes.onReport(B, new ClockReport(START + DAY, START + 7, true), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(clock.millis()).isEqualTo(START + 7);
  }

  @Test
  void shouldNotWaitLongerThanALeaseForAllVoters() {
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START, START, false), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    votes.onReport(B, new ClockReport(START + DAY, START + DAY, false), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    pass(LEASE);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(clock.millis()).isEqualTo(START + LEASE);
  }

  @Test
  void shouldNotBeginWithTheWordOfFewerThanMostVoters() {
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    votes.onReport(A, new ClockReport(START - DAY, START - DAY, false), monotonic);
    pass(2 * LEASE);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isFalse();
    votes.onReport(B, new ClockReport(START + DAY, START + 7, true), monotonic);
    assertThat(votes.decide(Set.of(A, B, C), monotonic)).isTrue();
    assertThat(clock.millis()).isEqualTo(START + 7);
  }

  @Test
  void shouldLeanTowardsTheMiddleOfTheWallClocksAndNeverJump() {
    clock.begin(START);
    ClockVotes votes = new ClockVotes(clock, LEASE, monotonic);
    for (int i = 0; i < 1_000; i++) {
      pass(100);
      wall += i == 500 ? DAY : 0; // this machine's own clock jumps meanwhile
      votes.onReport(A, new ClockReport(wall + DAY, 0, true), monotonic);
      votes.onReport(B, new ClockReport(wall + DAY, 0, true), monotonic);
      votes.onReport(C, new ClockReport(wall, 0, true), monotonic);
      votes.correct(monotonic);
    }
    // 100 s, corrected by 50 ms; the step in which the clocks disagreed may count or not.
    assertThat(clock.millis()).isBetween(START + 99_900, START + 100_050);
    assertThat(clock.millis()).isNotEqualTo(START + 100_000);
  }

  @Test
  void shouldGoOnWhereItWasWhenTheClockIsBehindAtAStart(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("clock");
    ClockFile.open(file, Runnable::run).save(START);
    assertThat(Files.readString(file)).isEqualTo("fjordmq clock, form 1\n1893456000000\n");
    long kept = ClockFile.open(file, Runnable::run).savedMillis();
    wall = START - DAY;
    ClusterClock restarted = clock(kept);
    assertThat(restarted.millis()).isEqualTo(START);
    wall = START + DAY;
    assertThat(clock(kept).millis()).as("a long stop").isEqualTo(START + DAY);
    Files.writeString(file, "fjordmq clock, form 2\n1\n");
    assertThat(ClockFile.open(file, Runnable::run).savedMillis()).isZero();
  }
}
