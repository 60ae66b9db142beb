package io.fjordmq.broker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fjordmq.broker.chaos.HistoryChecker.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checker finds each kind of violation and reports nothing else. */
class HistoryCheckerTest {
  private static final String KEPT =
      """
      1 published one 0
      2 published one 1
      3 acknowledged one 0
      4 received here one 0
      5 fault 2 kill node 2
      6 received here one 1
      7 acknowledged one 1
      8 published two 0
      9 received here two 0
      """;

  private static List<Finding> check(String history) {
    return HistoryChecker.check(
        history.lines().map(HistoryEvent::parse), Set.of("here"), Set.of("two"));
  }

  @Test
  void shouldFindNothingInAHistoryWithoutViolations() {
    assertThat(check(KEPT)).isEmpty();
  }

  @Test
  void shouldReportAnAcknowledgedMessageThatNeverArrived() {
    assertThat(check(KEPT + "10 published one 2\n11 acknowledged one 2\n"))
        .containsExactly(new Finding.Lost("here", "one", 2));
  }

  @Test
  void shouldReportEveryMessageAsLostForASubscriberThatReceivedNothing() {
    assertThat(check("1 published one 0\n2 acknowledged one 0\n"))
        .containsExactly(new Finding.Lost("here", "one", 0));
  }

  @Test
  void shouldNotReportUnacknowledgedMessagesAsLost() {
    assertThat(check(KEPT + "10 published one 2\n")).isEmpty();
  }

  @Test
  void shouldReportAnExactlyOnceMessageThatArrivedTwice() {
    assertThat(check(KEPT + "10 received here two 0\n"))
        .containsExactly(new Finding.Duplicated("here", "two", 0));
  }

  @Test
  void shouldAcceptDuplicatesOfQos1Messages() {
    assertThat(check(KEPT + "10 received here one 0\n")).isEmpty();
  }

  @Test
  void shouldReportAMessageThatArrivedAfterALaterOne() {
    String history =
        """
        1 published one 0
        2 published one 1
        3 received here one 1
        4 received here one 0
        """;
    assertThat(check(history)).containsExactly(new Finding.Reordered("here", "one", 0, 1));
  }

  @Test
  void shouldReportAMessageThatNobodySent() {
    assertThat(check(KEPT + "10 received here one 7\n"))
        .containsExactly(new Finding.NeverPublished("here", "one", 7));
  }

  @Test
  void shouldReportAnAcknowledgementOfAnUnpublishedMessage() {
    assertThat(check("1 acknowledged one 0\n2 received here one 0\n"))
        .contains(new Finding.UnexpectedAcknowledgement("one", 0));
  }

  @Test
  void shouldReportASecondAcknowledgement() {
    assertThat(check(KEPT + "10 acknowledged one 1\n"))
        .containsExactly(new Finding.UnexpectedAcknowledgement("one", 1));
  }

  @Test
  void shouldReadEveryEventItWrites(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("history");
    try (History history = new History(file)) {
      history.add(millis -> new HistoryEvent.Published(millis, "one", 0));
      history.add(millis -> new HistoryEvent.Acknowledged(millis, "one", 0));
      history.add(millis -> new HistoryEvent.Received(millis, "here", "one", 0));
      history.add(millis -> new HistoryEvent.Connected(millis, "one", 2));
      history.add(millis -> new HistoryEvent.Lost(millis, "one", 2));
      history.recordFault(new Fault.PairCut(3, 2, 500));
      history.note("node 2 answers again");
    }
    try (var events = History.read(file)) {
      List<String> lines = events.map(HistoryEvent::line).toList();
      assertThat(lines.stream().map(line -> line.substring(line.indexOf(' ') + 1)))
          .containsExactly(
              "published one 0",
              "acknowledged one 0",
              "received here one 0",
              "connected one 2",
              "lost one 2",
              "fault 2,3 PairCut[one=3, other=2, millis=500]",
              "note node 2 answers again");
    }
  }

  @Test
  void shouldRejectALineThatIsNotAnEvent() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HistoryEvent.parse("12 vanished one 0"))
        .withMessageContaining("vanished");
  }
}
