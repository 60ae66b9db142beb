package io.fjordmq.broker.delivery;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.inbox.InboxStore.InsertOutcome;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: the outcome for the publisher, for every pair of results of retain store and inboxes. */
class PublishOutcomeTest {
  private final DeliveryFixture fixture = new DeliveryFixture();

  @ParameterizedTest
  @CsvSource({
    "none,   none,                   NO_MATCHING_SUBSCRIBERS",
    "none,   STORED,                 ACCEPTED",
    "none,   STORED_DROPPING_OLDEST, ACCEPTED",
    "none,   DUPLICATE,              ACCEPTED",
    "none,   ABSENT,                 ACCEPTED",
    "none,   REFUSED_FULL,           QUOTA_EXCEEDED",
    "none,   failed,                 NOT_DURABLE",
    "kept,   none,                   NO_MATCHING_SUBSCRIBERS",
    "kept,   STORED,                 ACCEPTED",
    "kept,   REFUSED_FULL,           QUOTA_EXCEEDED",
    "kept,   failed,                 NOT_DURABLE",
    "full,   none,                   QUOTA_EXCEEDED",
    "full,   STORED,                 QUOTA_EXCEEDED",
    "full,   failed,                 NOT_DURABLE",
    "failed, none,                   NOT_DURABLE",
    "failed, STORED,                 NOT_DURABLE",
    "failed, REFUSED_FULL,           NOT_DURABLE",
  })
  void shouldCombineToTheWorstOutcome(String retain, String inbox, PublishOutcome expected) {
    fixture.retained.full = retain.equals("full");
    fixture.retained.failure = retain.equals("failed") ? new IllegalStateException("down") : null;
    if (!inbox.equals("none")) {
      fixture.addInboxRoute("i", "a", AT_LEAST_ONCE);
      if (inbox.equals("failed")) {
        fixture.inboxes.failure = new IllegalStateException("down");
      } else {
        fixture.inboxes.outcomes.put("i", InsertOutcome.valueOf(inbox.toUpperCase(Locale.ROOT)));
      }
    }

    fixture.publish(
        retain.equals("none")
            ? Messages.message("a", AT_LEAST_ONCE, "m")
            : Messages.retained("a", AT_LEAST_ONCE, "m"));

    assertThat(fixture.outcomes).containsExactly(expected);
  }
}
