package io.fjordmq.broker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Wait times are attributed to clients of the faulty node or to other clients. */
class RecoveryGapsTest {
  private static final String CONNECTED =
      """
      0 connected one 1
      0 connected two 2
      10 published one 0
      14 acknowledged one 0
      """;

  private static List<RecoveryGaps> gapsOf(String history) {
    return RecoveryGaps.of(history.lines().map(HistoryEvent::parse));
  }

  @Test
  void shouldDistinguishClientsOfTheFaultyNodeFromOthers() {
    assertThat(
            gapsOf(
                CONNECTED
                    + """
                    100 fault 1 Killed[node=1]
                    110 published one 1
                    120 published two 0
                    150 acknowledged two 0
                    400 lost one 1
                    500 connected one 2
                    650 acknowledged one 1
                    """))
        .containsExactly(new RecoveryGaps("Killed[node=1]", 30, 300, 250, 540, -1));
  }

  @Test
  void shouldNotCountAcknowledgementsBeforeTheClientLostItsConnection() {
    assertThat(
            gapsOf(
                CONNECTED
                    + """
                    100 fault 1 Frozen[node=1, millis=400]
                    110 published one 1
                    120 published one 2
                    300 acknowledged one 1
                    400 lost one 1
                    450 acknowledged one 2
                    """))
        .containsExactly(new RecoveryGaps("Frozen[node=1, millis=400]", -1, 300, 50, 330, -1));
  }

  @Test
  void shouldCountAClientThatKeptItsConnectionOnlyInTheLongestWait() {
    assertThat(
            gapsOf(
                CONNECTED
                    + """
                    100 fault 1,2 HalfCut[from=1, to=2, millis=400]
                    110 published one 1
                    300 acknowledged one 1
                    """))
        .containsExactly(
            new RecoveryGaps("HalfCut[from=1, to=2, millis=400]", -1, -1, -1, 190, -1));
  }

  @Test
  void shouldReportHowLongASubscriberReceivedNothing() {
    assertThat(
            gapsOf(
                CONNECTED
                    + """
                    15 received here one 0
                    100 fault 1 Killed[node=1]
                    200 received here one 1
                    230 received here one 2
                    300 fault 2 Killed[node=2]
                    310 received here one 3
                    """))
        .extracting(RecoveryGaps::silence)
        .containsExactly(185L, 80L);
  }

  @Test
  void shouldReportTheKindTheMedianAndTheMaximum() {
    List<RecoveryGaps> gaps =
        List.of(
            new RecoveryGaps("Killed[node=1]", 5, -1, -1, 7, 1),
            new RecoveryGaps("Killed[node=3]", 9, 40, -1, 7, 1),
            new RecoveryGaps("Killed[node=2]", 1, -1, -1, 7, 1));
    assertThat(gaps).extracting(RecoveryGaps::kind).containsOnly("Killed");
    assertThat(RecoveryGaps.GapSummary.of(gaps, RecoveryGaps::others))
        .isEqualTo(new RecoveryGaps.GapSummary(3, 5, 9))
        .hasToString("5/9");
    assertThat(RecoveryGaps.GapSummary.of(gaps, RecoveryGaps::noticed))
        .isEqualTo(new RecoveryGaps.GapSummary(1, 40, 40));
    assertThat(RecoveryGaps.GapSummary.of(gaps, RecoveryGaps::back)).hasToString("-");
  }
}
