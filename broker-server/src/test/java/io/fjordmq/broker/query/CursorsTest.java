package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Positions as texts. */
class CursorsTest {
  @Test
  void shouldReadWhatItWrites() {
    InboxId id = new InboxId("tenant é", "client 😀");
    SubscriptionPosition position = SubscriptionPosition.after(id, "a/+");
    String text = Cursors.encode(position);
    assertThat(text).matches(Cursors.PATTERN);
    assertThat(Cursors.decodeSubscription(text)).isEqualTo(position);
    assertThat(Cursors.decode(Cursors.encode(SessionPosition.after(id))))
        .isEqualTo(SessionPosition.after(id));
    assertThat(Cursors.decode(Cursors.encode(SessionPosition.END))).isEqualTo(SessionPosition.END);
  }

  @Test
  void shouldFindAPositionForEveryTextOfThePattern() {
    assertThat(Cursors.decode("9999.YQ.YQ.")).isEqualTo(SessionPosition.END);
    assertThat(Cursors.decode("0012.YQ.YWI.")).isEqualTo(new SessionPosition(12, "a", "ab"));
    for (String text : List.of("0.a.b.c", "0._.-.", "7.____.-----._-_-_", "4095.AA.AA.AA")) {
      assertThat(text).matches(Cursors.PATTERN);
      SubscriptionPosition position = Cursors.decodeSubscription(text);
      assertThat(position.session().key()).isNotEmpty();
      assertThat(Cursors.decodeSubscription(Cursors.encode(position))).isEqualTo(position);
    }
  }

  @Test
  void shouldRefuseOtherTexts() {
    for (String text : List.of("", "nonsense", "1.a.b", "-1.a.b.c", "12345.a.b.c", "1.ä.b.c")) {
      assertThatThrownBy(() -> Cursors.decode(text))
          .as(text)
          .isInstanceOf(QueryException.class)
          .hasMessageContaining("use meta.cursor of the previous page");
    }
  }
}
