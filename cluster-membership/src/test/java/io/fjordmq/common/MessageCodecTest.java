package io.fjordmq.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.UserProperty;
import io.fjordmq.api.Will;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class MessageCodecTest {
  private static final Message PLAIN =
      new Message(
          new Topic("a/b"),
          new byte[] {1, 2, 3},
          Qos.AT_LEAST_ONCE,
          false,
          MessageProperties.NONE,
          "c1",
          1_700_000_000_000L,
          Message.NEVER);

  private static final Message FULL =
      new Message(
          new Topic("ä"),
          new byte[0],
          Qos.EXACTLY_ONCE,
          true,
          new MessageProperties(
              true, "text", "r/t", new byte[] {(byte) 0xFF}, List.of(new UserProperty("k", "v"))),
          "",
          1000,
          2000);

  @Test
  void shouldEncodeAPlainMessage() {
    assertThat(hex(MessageCodec.encode(PLAIN)))
        .isEqualTo("01" + "01" + "80d095ffbc31" + "03612f62" + "026331" + "03010203");
  }

  @Test
  void shouldEncodeAMessageWithAllFields() {
    assertThat(hex(MessageCodec.encode(FULL)))
        .isEqualTo(
            "01"
                + "1e"
                + "e807"
                + "d00f"
                + "02c3a4"
                + "00"
                + "3f"
                + "0474657874"
                + "03722f74"
                + "01ff"
                + "01016b0176"
                + "00");
  }

  @Test
  void shouldEncodeAWill() {
    assertThat(hex(MessageCodec.encodeWill(new Will(PLAIN, 300, Will.NO_EXPIRY))))
        .isEqualTo("01" + "ac02" + "00" + hex(MessageCodec.encode(PLAIN)));
    assertThat(hex(MessageCodec.encodeWill(new Will(PLAIN, 0, 0))))
        .isEqualTo("01" + "00" + "01" + hex(MessageCodec.encode(PLAIN)));
  }

  @Test
  void shouldComputeTheEncodedSizeOfStrings() {
    for (String text :
        List.of("", "a", "é", "€", "😀x", "\uD83D", "\uDE00\uD83D", "a".repeat(200))) {
      assertThat(ByteWriter.stringBytes(text))
          .as(text)
          .isEqualTo(new ByteWriter(16).writeString(text).length());
    }
  }

  @Test
  void shouldNotCopyABufferThatIsExactlyFull() {
    ByteWriter out = new ByteWriter(3 + 8 + ByteWriter.varintBytes(300) + 4);
    out.writeBlock(new byte[] {1, 2}).writeLong(5).writeVarint(300);
    out.writeBlock(ByteBuffer.wrap(new byte[] {7, 8, 9, 10}, 1, 3));
    byte[] bytes = out.toByteArray();
    assertThat(hex(bytes)).isEqualTo("020102" + "0000000000000005" + "ac02" + "03" + "08090a");
    assertThat(out.toByteArray()).isSameAs(bytes);
  }

  @Property
  void shouldReadBackEveryMessage(@ForAll("messages") Message message) {
    byte[] bytes = MessageCodec.encode(message);
    assertThat(MessageCodec.encodedBytes(message)).isEqualTo(bytes.length);
    assertThat(MessageCodec.decode(ByteBuffer.wrap(bytes)))
        .usingRecursiveComparison()
        .isEqualTo(message);
    assertThat(MessageCodec.decode(ByteBuffer.wrap(bytes).asReadOnlyBuffer()))
        .usingRecursiveComparison()
        .isEqualTo(message);
    assertThat(MessageCodec.expiresAtMillis(ByteBuffer.wrap(bytes)))
        .isEqualTo(message.expiresAtMillis());
  }

  @Property(tries = 200)
  void shouldReadBackEveryWill(
      @ForAll("messages") Message message, @ForAll("seconds") long delay, @ForAll boolean expires) {
    Will will = new Will(message, delay, expires ? delay : Will.NO_EXPIRY);
    assertThat(MessageCodec.decodeWill(ByteBuffer.wrap(MessageCodec.encodeWill(will))))
        .usingRecursiveComparison()
        .isEqualTo(will);
  }

  @Property(tries = 200)
  void shouldRejectTruncatedMessages(@ForAll("messages") Message message) {
    byte[] bytes = MessageCodec.encode(message);
    for (int length = 0; length < bytes.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
      assertThatThrownBy(() -> MessageCodec.decode(cut))
          .isInstanceOf(MalformedBytesException.class);
    }
  }

  @Property
  void shouldDecodeOrRejectAnyBytes(@ForAll byte[] noise) {
    byte[] bytes = noise.clone();
    if (bytes.length > 1) {
      bytes[0] = 1;
      bytes[1] &= 0x1D;
    }
    try {
      MessageCodec.decode(ByteBuffer.wrap(bytes));
    } catch (MalformedBytesException expected) {
      assertThat(expected).hasMessageMatching(".+");
    }
  }

  @Test
  void shouldExplainInvalidBytes() {
    byte[] newer = MessageCodec.encode(PLAIN);
    newer[0] = 2;
    assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(newer)))
        .hasMessage("message has version 2, this node reads version 1: upgrade this node");

    byte[] flagged = MessageCodec.encode(PLAIN);
    flagged[1] = 3;
    assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(flagged)))
        .hasMessage("message has invalid flags 0x3");

    byte[] wildcard = MessageCodec.encode(PLAIN);
    wildcard[9] = '#';
    assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(wildcard)))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessage("message has an invalid topic");

    byte[] longer = java.util.Arrays.copyOf(MessageCodec.encode(PLAIN), 40);
    assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(longer)))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining("expected end of input");
  }

  @Test
  void shouldLeaveBytesAfterAMessageUnread() {
    ByteWriter out = new ByteWriter(0);
    MessageCodec.write(PLAIN, out);
    out.writeVarint(77);
    ByteReader in = new ByteReader(out.toByteArray());
    MessageCodec.read(in);
    assertThat(in.readVarint()).isEqualTo(77);
    in.requireEnd();
  }

  @Property
  void shouldReadBackEveryNumber(@ForAll long value, @ForAll("seconds") long small) {
    ByteWriter out = new ByteWriter(0);
    out.writeVarint(value).writeLong(value).writeVarint(small).writeShort((int) small & 0xFFFF);
    ByteReader in = new ByteReader(out.toByteArray());
    assertThat(in.readVarint()).isEqualTo(value);
    assertThat(in.readLong()).isEqualTo(value);
    assertThat(in.readVarint()).isEqualTo(small);
    assertThat(in.readShort()).isEqualTo((int) small & 0xFFFF);
    assertThat(in.remaining()).isZero();
  }

  @Test
  void shouldRejectNumbersOutOfRange() {
    byte[] elevenBytes = HexFormat.of().parseHex("ffffffffffffffffffff01");
    assertThatThrownBy(() -> new ByteReader(elevenBytes).readVarint())
        .hasMessage("varint is longer than 64 bits");
    byte[] twoToThe64 = HexFormat.of().parseHex("80808080808080808002");
    assertThatThrownBy(() -> new ByteReader(twoToThe64).readVarint())
        .hasMessage("varint is longer than 64 bits");
    byte[] twoToThe31 = HexFormat.of().parseHex("8080808008");
    assertThatThrownBy(() -> new ByteReader(twoToThe31).readInt())
        .hasMessage("number must be between 0 and 2147483647, not 2147483648");
    byte[] millionItems = HexFormat.of().parseHex("c0843d00");
    assertThatThrownBy(() -> new ByteReader(millionItems).readCount(1))
        .hasMessage("count of 1000000 items exceeds the 1 remaining bytes");
  }

  @Provide
  Arbitrary<Long> seconds() {
    return Arbitraries.longs().between(0, 0xFFFF_FFFFL);
  }

  @Provide
  Arbitrary<Message> messages() {
    Arbitrary<String> text = Arbitraries.strings().withCharRange('!', '\u02AF').ofMaxLength(20);
    Arbitrary<Topic> topics =
        text.map(name -> new Topic("t" + name.replace('#', '-').replace('+', '-')));
    Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(300);
    Arbitrary<MessageProperties> properties =
        Combinators.combine(
                Arbitraries.of(true, false).injectNull(0.4),
                text.injectNull(0.4),
                text.injectNull(0.4),
                bytes.injectNull(0.4),
                Combinators.combine(text, text).as(UserProperty::new).list().ofMaxSize(4))
            .as(MessageProperties::new);
    Arbitrary<Long> expiry =
        Arbitraries.longs()
            .between(0, 1L << 50)
            .injectNull(0.3)
            .map(e -> e == null ? Message.NEVER : e);
    return Combinators.combine(
            topics,
            bytes,
            Arbitraries.of(Qos.class),
            Arbitraries.of(true, false),
            properties,
            text,
            Arbitraries.longs().between(0, 1L << 50),
            expiry)
        .as(Message::new);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
