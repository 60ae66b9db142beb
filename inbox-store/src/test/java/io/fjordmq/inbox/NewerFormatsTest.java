package io.fjordmq.inbox;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: data written by a newer node is rejected with a clear message. */
class NewerFormatsTest {
  private static final byte[] NEXT = {4, 0, 0, 0};

  @Test
  void shouldRejectEveryFormatOfALaterVersion() {
    Map<String, Runnable> forms = new LinkedHashMap<>();
    forms.put("inbox command", () -> InboxCommand.decode(ByteBuffer.wrap(NEXT)));
    forms.put("inbox query", () -> InboxQuery.decode(ByteBuffer.wrap(NEXT)));
    forms.put("inbox state", () -> InboxState.decode(new InboxId("t", "c"), NEXT));
    forms.put("inbox cursor", () -> InboxCursor.decode(NEXT));
    forms.put("inbox entry", () -> EntryRow.decode(NEXT));
    forms.put("subscription", () -> SubscriptionRow.decode(NEXT));
    forms.put("producer row", () -> ProducerRow.decode(NEXT));
    forms.put("received publish", () -> RecordReceived.decodeRow(NEXT));
    forms.put("released entry", () -> ReleasedRow.decode(NEXT));
    forms.put("due will", () -> DueWillRow.decode(NEXT));
    forms.put("undelivered messages", () -> UndeliveredRow.decode(NEXT));
    forms.forEach(
        (form, read) ->
            assertThatThrownBy(read::run)
                .as(form)
                .isInstanceOf(NewerFormatException.class)
                .hasMessageStartingWith(form + " has version 4")
                .hasMessageEndingWith("upgrade this node"));
  }

  @Test
  void shouldNotProposeUnreadableCommands() {
    InboxCommand.requireReadable(ByteBuffer.wrap(new byte[] {2, 1}));
    InboxCommand.requireReadable(ByteBuffer.wrap(new byte[] {2, 21}));
    for (byte[] command : new byte[][] {{3, 1}, {2, 22}}) {
      assertThatThrownBy(() -> InboxCommand.requireReadable(ByteBuffer.wrap(command)))
          .isInstanceOf(NewerFormatException.class);
    }
  }
}
