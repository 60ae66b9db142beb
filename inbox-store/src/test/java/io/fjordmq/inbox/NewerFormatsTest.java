package io.fjordmq.inbox;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: data written by a newer node is rejected with a clear message. */
class NewerFormatsTest {
  private static final byte[] NEXT_VERSION = {4, 0, 0, 0};

  @Test
  void shouldRejectEveryFormatOfALaterVersion() {
    Map<String, Runnable> formats = new LinkedHashMap<>();
    formats.put("inbox command", () -> InboxCommand.decode(ByteBuffer.wrap(NEXT_VERSION)));
    formats.put("inbox query", () -> InboxQuery.decode(ByteBuffer.wrap(NEXT_VERSION)));
    formats.put("inbox state", () -> InboxState.decode(new InboxId("t", "c"), NEXT_VERSION));
    formats.put("inbox cursor", () -> InboxCursor.decode(NEXT_VERSION));
    formats.put("inbox entry", () -> EntryRow.decode(NEXT_VERSION));
    formats.put("subscription", () -> SubscriptionRow.decode(NEXT_VERSION));
    formats.put("producer row", () -> ProducerRow.decode(NEXT_VERSION));
    formats.put("received publish", () -> RecordReceived.decodeRow(NEXT_VERSION));
    formats.put("released entry", () -> ReleasedRow.decode(NEXT_VERSION));
    formats.put("due will", () -> DueWillRow.decode(NEXT_VERSION));
    formats.put("undelivered messages", () -> UndeliveredRow.decode(NEXT_VERSION));
    formats.forEach(
        (format, read) ->
            assertThatThrownBy(read::run)
                .as(format)
                .isInstanceOf(NewerFormatException.class)
                .hasMessageStartingWith(format + " has version 4")
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
