package io.fjordmq.inbox;

import static io.fjordmq.inbox.Samples.HANDLE;
import static io.fjordmq.inbox.Samples.ID;
import static io.fjordmq.inbox.Samples.LIMITS;
import static io.fjordmq.inbox.Samples.MESSAGE;
import static io.fjordmq.inbox.Samples.MESSAGE_HEX;
import static io.fjordmq.inbox.Samples.OPTIONS;
import static io.fjordmq.inbox.Samples.OWNER;
import static io.fjordmq.inbox.Samples.hex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.MessageCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes in the log. Changing one of these requires a new version. */
class StoredBytesTest {
  /** Bucket of {@link Samples#ID} as a varint. */
  private static final String BUCKET_HEX = "830f";

  private static final String HANDLE_HEX = "0174" + "026331" + "1122334455667788" + "ac02";

  @Test
  void shouldNotChangeTheBytesOfInsertions() {
    InboxTarget first = new InboxTarget(ID, 5, Qos.EXACTLY_ONCE, true, List.of(300));
    InboxTarget second =
        new InboxTarget(new InboxId("t", "c2"), 6, Qos.AT_LEAST_ONCE, false, List.of());
    ByteBuffer message = ByteBuffer.wrap(MessageCodec.encode(MESSAGE));
    assertCommand(
        new InsertMessage(message, new PublishId(5, 2, 1), 300, List.of(first, second)),
        "02"
            + "01"
            + "01"
            + "0000000000000005"
            + "02"
            + "01"
            + "ac02"
            + "08"
            + MESSAGE_HEX
            + "02"
            + "16"
            + "0174"
            + "026331"
            + "0000000000000005"
            + "01"
            + "ac02"
            + "09"
            + "026332"
            + "0000000000000006");
    InboxTarget member = new InboxTarget(ID, 5, Qos.AT_LEAST_ONCE, false, List.of(1), "g/a");
    assertCommand(
        new InsertMessage(message, null, 0, List.of(second, member)),
        "02"
            + "13"
            + "00"
            + "08"
            + MESSAGE_HEX
            + "02"
            + "01"
            + "0174"
            + "026332"
            + "0000000000000006"
            + "39"
            + "026331"
            + "0000000000000005"
            + "0101"
            + "03672f61");
    assertCommand(
        new InsertMessage(message, null, 0, List.of(second)),
        "02"
            + "01"
            + "00"
            + "08"
            + MESSAGE_HEX
            + "01"
            + "01"
            + "0174"
            + "026332"
            + "0000000000000006");
  }

  @Test
  void shouldEncodeAMessageInItsCommandAndComputeItsSize() {
    InboxTarget plain =
        new InboxTarget(new InboxId("t", "ü"), 6, Qos.AT_LEAST_ONCE, false, List.of());
    InboxTarget member = new InboxTarget(ID, 5, Qos.EXACTLY_ONCE, true, List.of(1, 300), "g/ä");
    PublishId id = new PublishId(5, 200, 1);
    for (List<InboxTarget> targets : List.of(List.of(plain), List.of(plain, member, plain))) {
      for (PublishId publishId : new PublishId[] {null, id}) {
        ByteBuffer message = ByteBuffer.wrap(MessageCodec.encode(MESSAGE));
        InsertMessage command = new InsertMessage(message, publishId, 300, targets);
        assertThat(hex(InsertMessage.encode(MESSAGE, publishId, 300, targets)))
            .isEqualTo(hex(command.encode()));
        assertThat(command.expectedBytes()).isEqualTo(command.encode().length);
      }
    }
  }

  @Test
  void shouldNotChangeTheBytesOfOtherCommands() {
    assertCommand(
        new CommitDeliveries(List.of(new CommitDeliveries.Commit(HANDLE, 5, List.of(7L, 300L)))),
        "02" + "02" + "01" + HANDLE_HEX + "05" + "02" + "07" + "ac02");
    assertCommand(
        new AttachSession(ID, true, OWNER, 60, LIMITS, 300, new byte[] {7}),
        "02"
            + "03"
            + "03"
            + "0174026331"
            + "026e31"
            + "0000000000000005"
            + "3c"
            + "0ae80701"
            + "ac02"
            + "0107");
    assertCommand(
        new AttachSession(
            ID, true, OWNER, 60, LIMITS, 300, new byte[] {7}, new SessionUser("u:al", true)),
        "02"
            + "12"
            + "07"
            + "0174026331"
            + "026e31"
            + "0000000000000005"
            + "3c"
            + "0ae80701"
            + "ac02"
            + "0107"
            + "04753a616c");
    assertCommand(
        new DetachSession(HANDLE, 300, 7, List.of(9L), 60, true, 0, DetachSession.CLOSED),
        "02" + "04" + HANDLE_HEX + "ac02" + "07" + "0109" + "3c" + "01");
    assertCommand(
        new DetachSession(HANDLE, 300, 7, List.of(9L), 60, true, 300, DetachSession.CLOSED),
        "02" + "11" + HANDLE_HEX + "ac02" + "07" + "0109" + "3c" + "01" + "ac02");
    assertCommand(
        new DetachSession(HANDLE, 300, 7, List.of(9L), 60, true, 0, 300),
        "02" + "15" + HANDLE_HEX + "ac02" + "07" + "0109" + "3c" + "01" + "00" + "ac02");
    assertCommand(new DiscardSession(ID), "02" + "05" + "0174026331");
    assertCommand(
        new EditSubscription(HANDLE, TopicFilter.parse("a"), OPTIONS),
        "02" + "06" + HANDLE_HEX + "0161" + "04" + "0126ac02");
    assertCommand(
        new EditSubscription(HANDLE, TopicFilter.parse("a"), null),
        "02" + "06" + HANDLE_HEX + "0161" + "00");
    assertCommand(new ReleaseEntry(HANDLE, 300), "02" + "07" + HANDLE_HEX + "ac02");
    assertCommand(
        new RecordReceived(HANDLE, 0xFFFE, 300), "02" + "08" + HANDLE_HEX + "fffe" + "ac02");
    assertCommand(new ForgetReceived(HANDLE, 0xFFFE), "02" + "09" + HANDLE_HEX + "fffe");
    assertCommand(
        new DropExpired(HANDLE, List.of(7L, 300L)),
        "02" + "0a" + HANDLE_HEX + "02" + "07" + "ac02");
    assertCommand(
        new ConfirmWill(ID, 5, 300), "02" + "0b" + "0174026331" + "0000000000000005" + "ac02");
    assertCommand(
        new AbandonAttach(ID, OWNER), "02" + "0f" + "0174026331" + "026e31" + "0000000000000005");
    assertCommand(
        new TrimUndelivered(ID, 5, List.of(7L, 300L)),
        "02" + "14" + "0174026331" + "0000000000000005" + "02" + "07" + "ac02");
    ReadUndelivered read = new ReadUndelivered(ID, 5, 64, 300, 301);
    assertThat(hex(read.encode()))
        .isEqualTo("01" + "03" + "0174026331" + "0000000000000005" + "40" + "ac02" + "ad02");
    assertThat(InboxQuery.decode(ByteBuffer.wrap(read.encode()))).isEqualTo(read);
    assertQuery(
        new ListSessions(
            SessionPosition.of(ID), new SessionFilter("t", null, "u", null, false), 300, 100),
        "01" + "04" + "PP" + "0174" + "026331" + "15" + "0174" + "0175" + "ac02" + "64");
    assertQuery(new DescribeSession(ID, 300), "01" + "05" + "0174026331" + "ac02");
    assertQuery(
        new ListSubscriptions(SessionPosition.of(ID), "a", SessionPosition.END, "t", 300, 100),
        "01" + "06" + "PP" + "0174" + "026331" + "0161" + "80200000" + "010174" + "ac02" + "64");
    assertQuery(
        new ListSubscriptions(SessionPosition.START, "", SessionPosition.END, null, 300, 100),
        "01" + "06" + "000000" + "00" + "80200000" + "00" + "ac02" + "64");
    assertQuery(
        new PeekEntries(ID, 7, 100, 300, 301),
        "01" + "07" + "0174026331" + "07" + "64" + "ac02" + "ad02");
    assertCommand(new CountInboxes(500), "02" + "0e" + "f403");
    assertCommand(new ExpireDue(500, 300), "02" + "0c" + "f403" + "ac02");
    assertCommand(
        new DetachOwner(OWNER, new byte[] {1, 2}, 300, 0),
        "02" + "0d" + "026e31" + "0000000000000005" + "020102" + "ac02");
    assertCommand(
        new DetachOwner(OWNER, new byte[] {1, 2}, 300, 9),
        "02" + "10" + "026e31" + "0000000000000005" + "020102" + "ac02" + "09");
  }

  private static void assertQuery(InboxQuery query, String hex) {
    assertThat(hex(query.encode())).isEqualTo(hex.replace("PP", BUCKET_HEX));
    assertThat(InboxQuery.decode(ByteBuffer.wrap(query.encode()))).isEqualTo(query);
  }

  @Test
  void shouldNotChangeTheBytesOfListedSessions() {
    StoredSession offline =
        new StoredSession(
            ID, 5, null, 300, LIMITS, new SessionUser("u", true), true, 7, 300, 1, 2, 3, 4);
    StoredSession connected =
        new StoredSession(
            ID, 5, OWNER, 300, LIMITS, null, false, InboxState.NEVER, InboxState.NEVER, 1, 2, 3, 4);
    assertSession(
        offline,
        "0174026331"
            + "0000000000000005"
            + "0e"
            + "ac02"
            + "0ae80701"
            + "0175"
            + "07"
            + "ac02"
            + "01020304");
    assertSession(
        connected,
        "0174026331"
            + "0000000000000005"
            + "01"
            + "026e310000000000000005"
            + "ac02"
            + "0ae80701"
            + "0000"
            + "01020304");
  }

  private static void assertSession(StoredSession session, String hex) {
    ByteWriter out = new ByteWriter(64);
    session.write(out);
    byte[] bytes = out.toByteArray();
    assertThat(hex(bytes)).isEqualTo(hex);
    assertThat(StoredSession.read(new ByteReader(bytes))).isEqualTo(session);
  }

  private static void assertCommand(InboxCommand command, String hex) {
    byte[] bytes = command.encode();
    assertThat(hex(bytes)).isEqualTo(hex);
    assertThat(InboxCommand.decode(ByteBuffer.wrap(bytes)))
        .usingRecursiveComparison()
        .isEqualTo(command);
  }

  @Test
  void shouldRejectUnknownVersionsAndKinds() {
    assertThatThrownBy(() -> InboxCommand.decode(ByteBuffer.wrap(new byte[] {1, 1})))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessage("inbox command has version 1, this node reads version 2");
    assertThatThrownBy(() -> InboxCommand.decode(ByteBuffer.wrap(new byte[] {2, 99})))
        .hasMessage(
            "inbox command of unknown kind 99, probably written by a newer version: "
                + "upgrade this node");
    byte[] longer = Arrays.copyOf(new ReleaseEntry(HANDLE, 1).encode(), 40);
    assertThatThrownBy(() -> InboxCommand.decode(ByteBuffer.wrap(longer)))
        .hasMessageContaining("expected end of input");
  }

  @Test
  void shouldEncodeAndDecodeAnAttachment() {
    Attachment attachment =
        new Attachment(
            HANDLE,
            true,
            List.of(new InboxSubscription(TopicFilter.parse("a/#"), OPTIONS)),
            new Attachment.Discarded(
                3, List.of(new InboxSubscription(TopicFilter.parse("b"), OPTIONS))),
            5,
            9,
            8,
            List.of(5L),
            List.of(7L, 8L),
            List.of(new Attachment.ReceivedPublish(65_535, 3)),
            4,
            new ConnectOrder(2, 300));
    assertThat(AttachmentCodec.decode(AttachmentCodec.encode(attachment))).isEqualTo(attachment);
    for (Attachment.Discarded discarded : Arrays.asList(attachment.discarded(), null)) {
      DiscardResult discardResult = new DiscardResult(new ConnectOrder(2, 300), discarded);
      assertThat(AttachmentCodec.decodeDiscard(AttachmentCodec.encodeDiscard(discardResult)))
          .isEqualTo(discardResult);
    }
  }
}
