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

import io.fjordmq.api.Qos;
import io.fjordmq.api.Will;
import io.fjordmq.common.MessageCodec;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The bytes on disk. Changing one of these requires a new version. */
class RowBytesTest {
  @Test
  void shouldNotChangeTheBuckets() {
    assertThat(ID.hash()).isEqualTo(0x783053e928b59de6L);
    assertThat(ID.bucket()).isEqualTo(0x783);
    assertThat(PublishId.ofPublisher(HANDLE, 1, 1).producer()).isEqualTo(0x7a28777ddc964476L);
    assertThat(PublishId.ofWill(ID, HANDLE.incarnation(), 1, 1).producer())
        .isEqualTo(0x18739d24b0ebdefL);
    assertThat(PublishId.ofUndelivered(ID, HANDLE.incarnation(), 1, 1).producer())
        .isEqualTo(0x15053ba83ed9dcadL);
  }

  @Test
  void shouldSplitTheKeySpaceEvenly() {
    assertThat(InboxKeys.evenSplits(4))
        .extracting(Samples::hex)
        .containsExactly("0400", "0800", "0c00");
    assertThat(InboxKeys.evenSplits(1)).isEmpty();
  }

  @Test
  void shouldBeSplitOnlyBetweenBuckets() {
    int bucket = ID.bucket();
    byte[] start = InboxKeys.bucketStart(bucket);
    assertThat(InboxKeys.bucketStartOf(InboxKeys.state(bucket, ID))).isEqualTo(start);
    assertThat(InboxKeys.bucketStartOf(InboxKeys.entry(bucket, 1, 2))).isEqualTo(start);
    assertThat(InboxKeys.bucketStartOf(start)).isEqualTo(start);
    assertThat(InboxKeys.bucketStartOf(new byte[] {7})).isEmpty();
  }

  @Test
  void shouldNotChangeTheKeys() {
    long inc = HANDLE.incarnation();
    String rows = "0abc" + "05" + "1122334455667788";
    assertThat(hex(InboxKeys.state(0xABC, ID))).isEqualTo("0abc" + "01" + "74" + "00" + "6331");
    assertThat(InboxKeys.idOfState(InboxKeys.state(0xABC, ID))).isEqualTo(ID);
    assertThat(hex(InboxKeys.dueSession(0xABC, 256, ID)))
        .isEqualTo("0abc" + "02" + "0000000000000100" + "01" + "74006331");
    assertThat(hex(InboxKeys.dueWill(0xABC, 256, inc, 3)))
        .isEqualTo(
            "0abc" + "02" + "0000000000000100" + "02" + "1122334455667788" + "0000000000000003");
    assertThat(hex(InboxKeys.dueProducer(0xABC, 256, inc, -1)))
        .isEqualTo(
            "0abc" + "02" + "0000000000000100" + "03" + "1122334455667788" + "ffffffffffffffff");
    assertThat(hex(InboxKeys.will(0xABC, inc, 3)))
        .isEqualTo("0abc" + "03" + "1122334455667788" + "0000000000000003");
    assertThat(hex(InboxKeys.cursor(0xABC, inc))).isEqualTo("0abc" + "04" + "1122334455667788");
    assertThat(hex(InboxKeys.subscription(0xABC, inc, "a/+"))).isEqualTo(rows + "01" + "612f2b");
    assertThat(hex(InboxKeys.released(0xABC, inc, 3))).isEqualTo(rows + "02" + "0000000000000003");
    assertThat(hex(InboxKeys.received(0xABC, inc, 0xFFFE))).isEqualTo(rows + "03" + "fffe");
    assertThat(hex(InboxKeys.producer(0xABC, inc, -1))).isEqualTo(rows + "04" + "ffffffffffffffff");
    assertThat(hex(InboxKeys.entry(0xABC, inc, 3))).isEqualTo(rows + "05" + "0000000000000003");
    assertThat(hex(InboxKeys.undelivered(0xABC, inc))).isEqualTo(rows + "06");
    assertThat(hex(InboxKeys.dueUndelivered(0xABC, 256, inc)))
        .isEqualTo("0abc" + "02" + "0000000000000100" + "04" + "1122334455667788");
  }

  @Test
  void shouldNotChangeTheBytesOfTheUser() {
    byte[] will = {7, 7};
    InboxState bound =
        new InboxState(
            HANDLE,
            null,
            9,
            60,
            LIMITS,
            will,
            300,
            InboxState.NEVER,
            new SessionUser("u:al", true),
            true);
    assertThat(hex(bound.encode()))
        .isEqualTo(
            "03"
                + "0e"
                + "1122334455667788"
                + "ac02"
                + "09"
                + "3c"
                + "0a"
                + "e807"
                + "01"
                + "ac02"
                + "00"
                + "04753a616c"
                + "0707");
    InboxState read = InboxState.decode(ID, bound.encode());
    assertThat(read.user()).isEqualTo(new SessionUser("u:al", true));
    assertThat(read.will()).isEqualTo(will);
    assertThat(read.withoutWill().user()).isEqualTo(new SessionUser("u:al", true));
  }

  @Test
  void shouldNotChangeTheBytesOfTheInboxState() {
    byte[] will = {7, 7};
    InboxState attached =
        new InboxState(HANDLE, OWNER, 301, 60, LIMITS, will, InboxState.NEVER, InboxState.NEVER);
    assertThat(hex(attached.encode()))
        .isEqualTo(
            "02"
                + "03"
                + "1122334455667788"
                + "ac02"
                + "ad02"
                + "3c"
                + "0a"
                + "e807"
                + "01"
                + "026e31"
                + "0000000000000005"
                + "0707");
    InboxState detached = new InboxState(HANDLE, null, 9, 60, LIMITS, null, 300, InboxState.NEVER);
    assertThat(hex(detached.encode()))
        .isEqualTo(
            "02"
                + "00"
                + "1122334455667788"
                + "ac02"
                + "09"
                + "3c"
                + "0a"
                + "e807"
                + "01"
                + "ac02"
                + "00");
    for (InboxState state : List.of(attached, detached)) {
      assertThat(InboxState.decode(ID, state.encode())).usingRecursiveComparison().isEqualTo(state);
    }
  }

  @Test
  void shouldNotChangeTheBytesOfTheCursor() {
    InboxCursor cursor = new InboxCursor();
    assertThat(hex(cursor.encode()))
        .isEqualTo("01" + "00" + "01" + "00" + "01" + "00" + "01" + "00" + "00");
    cursor.committed = 5;
    cursor.committedBytes = 300;
    cursor.next = 20;
    cursor.nextBytes = 900;
    cursor.nextPublish = 3;
    cursor.subscriptions = 2;
    cursor.hasReleased = true;
    cursor.settled.add(9, 10);
    cursor.settled.add(7, 10);
    cursor.settled.add(8, 10);
    cursor.settled.add(11, 40);
    byte[] row = cursor.encode();
    assertThat(hex(row))
        .isEqualTo(
            "01" + "01" + "05" + "ac02" + "14" + "8407" + "03" + "02" + "02" + "07" + "03" + "1e"
                + "01" + "01" + "28");
    assertThat(InboxCursor.decode(row)).usingRecursiveComparison().isEqualTo(cursor);
    InboxCursor shared = new InboxCursor();
    shared.hasShared = true;
    assertThat(hex(shared.encode()))
        .isEqualTo("02" + "00" + "01" + "00" + "01" + "00" + "01" + "00" + "00");
    assertThat(InboxCursor.decode(shared.encode())).usingRecursiveComparison().isEqualTo(shared);
  }

  @Test
  void shouldNotChangeTheBytesOfEntries() {
    InboxTarget target = new InboxTarget(ID, 1, Qos.EXACTLY_ONCE, true, List.of(1, 300));
    byte[] row = EntryRow.encode(target, 300, ByteBuffer.wrap(MessageCodec.encode(MESSAGE)));
    assertThat(hex(row)).isEqualTo("01" + "0e" + "ac02" + "02" + "01" + "ac02" + MESSAGE_HEX);
    InboxTarget plain = new InboxTarget(ID, 1, Qos.AT_LEAST_ONCE, false, List.of());
    assertThat(hex(EntryRow.encode(plain, 0, ByteBuffer.wrap(MessageCodec.encode(MESSAGE)))))
        .isEqualTo("01" + "01" + "00" + MESSAGE_HEX);
    assertThat(EntryRow.decode(row).subscriptionIdentifiers()).containsExactly(1, 300);
    assertThat(EntryRow.decode(row).share()).isNull();
    InboxTarget member = new InboxTarget(ID, 1, Qos.AT_LEAST_ONCE, false, List.of(1), "g/a");
    byte[] shared = EntryRow.encode(member, 300, ByteBuffer.wrap(MessageCodec.encode(MESSAGE)));
    assertThat(hex(shared))
        .isEqualTo("02" + "09" + "ac02" + "01" + "01" + "03672f61" + MESSAGE_HEX);
    assertThat(EntryRow.decode(shared).share()).isEqualTo("g/a");
    assertThat(EntryRow.decode(shared).message())
        .isEqualTo(ByteBuffer.wrap(MessageCodec.encode(MESSAGE)));
    assertThat(hex(new ReleasedRow(300, 4).encode())).isEqualTo("01" + "ac02" + "04");
  }

  @Test
  void shouldNotChangeTheBytesOfSmallRows() {
    assertThat(hex(SubscriptionRow.encode(OPTIONS))).isEqualTo("01" + "26" + "ac02");
    assertThat(SubscriptionRow.decode(SubscriptionRow.encode(OPTIONS))).isEqualTo(OPTIONS);
    assertThat(hex(RecordReceived.encodeRow(300))).isEqualTo("01" + "ac02");
    DueWillRow will = new DueWillRow(ID, new ConnectOrder(3, 300), new byte[] {7});
    assertThat(hex(will.encode())).isEqualTo("02" + "0174" + "026331" + "03" + "ac02" + "07");
    assertThat(DueWillRow.decode(will.encode()).connectOrder()).isEqualTo(will.connectOrder());
    byte[] first = HexFormat.of().parseHex("01" + "0174" + "026331" + "07");
    assertThat(hex(DueWillRow.decode(first).encode()))
        .as("read from version 1")
        .isEqualTo("02" + "0174" + "026331" + "00" + "00" + "07");
    UndeliveredRow left = new UndeliveredRow(ID, 300, 301);
    assertThat(hex(left.encode())).isEqualTo("01" + "0174" + "026331" + "ac02" + "ad02");
    assertThat(UndeliveredRow.decode(left.encode())).isEqualTo(left);
    ProducerRow producer = new ProducerRow(5, new TreeSet<>(List.of(5L, 8L)), 300);
    assertThat(hex(producer.encode())).isEqualTo("01" + "ac02" + "05" + "02" + "00" + "03");
    assertThat(ProducerRow.decode(producer.encode())).isEqualTo(producer);
  }

  @Test
  void shouldLimitTheStoredSequencesOfAProducer() {
    ProducerRow row = ProducerRow.create(new PublishId(1, 1, 1), 0);
    assertThat(row.plus(new PublishId(1, 9, 4), 0).has(3)).isTrue();
    assertThat(row.plus(new PublishId(1, 9, 4), 0).has(4)).isFalse();
    TreeSet<Long> many = new TreeSet<>();
    for (long s = 1; s <= ProducerRow.MAX_STORED; s++) {
      many.add(s);
    }
    ProducerRow full = new ProducerRow(1, many, 0).plus(new PublishId(1, 70_000, 1), 0);
    assertThat(full.stored()).hasSize(ProducerRow.MAX_STORED);
    assertThat(full.has(1)).isTrue();
    assertThat(full.has(69_999)).isFalse();
  }

  @Test
  void shouldEncodeAndDecodeAWill() {
    byte[] will = MessageCodec.encodeWill(new Will(MESSAGE, 5, Will.NO_EXPIRY));
    InboxEffect.WillDue due = new DueWillRow(ID, ConnectOrder.NONE, will).toEffect(3, 4, 4);
    assertThat(due.will().delaySeconds()).isEqualTo(5);
    assertThat(due.id()).isEqualTo(ID);
  }
}
