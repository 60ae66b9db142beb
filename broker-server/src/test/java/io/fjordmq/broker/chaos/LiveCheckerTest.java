package io.fjordmq.broker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.chaos.HistoryChecker.Finding;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The checker finds messages missing from a live subscription, unless its connection closed. */
class LiveCheckerTest {
  private static final String KEPT =
      """
      0 connected live 1
      1 published one 0
      2 subscribed live 0
      3 published one 1
      4 acknowledged one 0
      5 received live one 1
      6 acknowledged one 1
      """;

  private static List<Finding> check(String history) {
    return LiveChecker.check(history.lines().map(HistoryEvent::parse), Set.of("live"));
  }

  @Test
  void shouldNotExpectMessagesPublishedBeforeTheSubscription() {
    assertThat(check(KEPT)).isEmpty();
  }

  @Test
  void shouldReportAMissingMessageWhileTheConnectionIsOpen() {
    assertThat(check(KEPT + "7 published one 2\n8 acknowledged one 2\n"))
        .containsExactly(new Finding.Missed("live", "one", 2));
  }

  @Test
  void shouldReportAMissingMessageOfAPublisherThatStartedLater() {
    assertThat(check(KEPT + "7 published two 0\n8 acknowledged two 0\n"))
        .containsExactly(new Finding.Missed("live", "two", 0));
  }

  @Test
  void shouldNotExpectTheLastMessagesBeforeTheConnectionClosed() {
    assertThat(check(KEPT + "7 published one 2\n8 lost live 1\n9 acknowledged one 2\n")).isEmpty();
  }

  @Test
  void shouldReportAGapBeforeTheConnectionClosed() {
    String history =
        """
        7 published one 2
        8 published one 3
        9 received live one 3
        10 acknowledged one 2
        11 lost live 1
        """;
    assertThat(check(KEPT + history)).containsExactly(new Finding.Missed("live", "one", 2));
  }

  @Test
  void shouldReportAMessageThatArrivedAfterALaterOne() {
    String history =
        """
        7 published one 2
        8 published one 3
        9 received live one 3
        10 received live one 2
        """;
    assertThat(check(KEPT + history)).containsExactly(new Finding.Reordered("live", "one", 2, 3));
  }

  @Test
  void shouldAcceptDuplicatesOfMessagesReceivedBeforeTheSuback() {
    String history =
        """
        1 connected live 1
        2 published one 0
        3 published one 1
        4 received live one 0
        5 subscribed live 0
        6 received live one 1
        7 received live one 0
        """;
    assertThat(check(history)).isEmpty();
  }

  @Test
  void shouldAcceptLateRepetitionsOfMessagesPublishedBeforeTheSuback() {
    String history =
        """
        1 connected live 1
        2 published one 0
        3 published one 1
        4 received live one 1
        5 subscribed live 0
        6 published one 2
        7 received live one 2
        8 received live one 0
        9 received live one 1
        """;
    assertThat(check(history)).isEmpty();
  }

  @Test
  void shouldReportAProbeThatDidNotArrive() {
    assertThat(check("1 subscribed probe 7\n2 probed probe 7\n3 unheard probe 7\n"))
        .containsExactly(new Finding.ProbeLost("probe", 7));
  }

  @Test
  void shouldNotExpectAProbeThatWasNotAcknowledged() {
    assertThat(check("1 subscribed probe 7\n3 unheard probe 7\n")).isEmpty();
  }

  @Test
  void shouldNotExpectAProbeAfterItsConnectionClosed() {
    assertThat(check("1 subscribed probe 7\n2 probed probe 7\n3 lost probe 1\n4 unheard probe 7\n"))
        .isEmpty();
  }
}
