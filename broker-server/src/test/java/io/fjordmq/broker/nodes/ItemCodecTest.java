package io.fjordmq.broker.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.range.KeyInterval;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Nodes of two versions communicate, so a change adds a format and leaves the old ones as is. */
class ItemCodecTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final Message MESSAGE =
      new Message(
          new Topic("a"),
          "x".getBytes(UTF_8),
          Qos.AT_LEAST_ONCE,
          false,
          MessageProperties.NONE,
          "p",
          5,
          Message.NEVER);
  private static final String MESSAGE_HEX = "01" + "01" + "05" + "0161" + "0170" + "0178";
  private static final InboxHandle HANDLE = new InboxHandle(new InboxId("t", "c"), 2, 3);
  private static final String HANDLE_HEX = "0174" + "0163" + "0000000000000002" + "03";

  private static Map<NodeItem, String> goldenItems() {
    Map<NodeItem, String> items = new LinkedHashMap<>();
    items.put(new NodeItem.Publish("t", MESSAGE, null), "01" + "0174" + MESSAGE_HEX);
    items.put(
        new NodeItem.SharePublish(
            "t", "s", "a/#", "c", Qos.AT_LEAST_ONCE, true, List.of(300), MESSAGE, null, false),
        "02" + "0174" + "0173" + "03612f23" + "0163" + "05" + "01ac02" + MESSAGE_HEX);
    items.put(
        new NodeItem.Appended(
            HANDLE, List.of(new InboxEntry(7, MESSAGE, Qos.EXACTLY_ONCE, false, List.of()))),
        "03" + HANDLE_HEX + "01" + "07" + "0200" + MESSAGE_HEX);
    items.put(new NodeItem.Refetch(HANDLE.id()), "04" + "0174" + "0163");
    items.put(
        new NodeItem.LeaderNotice(new KeyInterval(new byte[] {1}, new byte[] {2})),
        "05" + "0101" + "01" + "0102");
    items.put(new NodeItem.LeaderNotice(KeyInterval.ALL), "05" + "00" + "00");
    items.put(new NodeItem.FenceNotice(HANDLE), "06" + HANDLE_HEX);
    items.put(
        new NodeItem.ConnectNotice("t", "c", new ConnectOrder(1, 258)),
        "07" + "0174" + "0163" + "0000000000000001" + "0000000000000102");
    PublishId id = new PublishId(-2, 300, 5);
    String idHex = "fffffffffffffffe" + "ac02" + "05";
    items.put(new NodeItem.Publish("t", MESSAGE, id), "08" + idHex + "0174" + MESSAGE_HEX);
    items.put(
        new NodeItem.SharePublish(
            "t", "s", "a", "c", Qos.AT_MOST_ONCE, false, List.of(), MESSAGE, id, false),
        "09" + idHex + "0174" + "0173" + "0161" + "0163" + "0000" + MESSAGE_HEX);
    items.put(
        new NodeItem.SharePublish(
            "t", "s", "a", "c", Qos.AT_LEAST_ONCE, false, List.of(), MESSAGE, null, true),
        "0a" + "0174" + "0173" + "0161" + "0163" + "0100" + MESSAGE_HEX);
    items.put(
        new NodeItem.SharePublish(
            "t", "s", "a", "c", Qos.AT_MOST_ONCE, false, List.of(), MESSAGE, id, true),
        "0b" + idHex + "0174" + "0173" + "0161" + "0163" + "0000" + MESSAGE_HEX);
    return items;
  }

  @Test
  void shouldKeepTheFormatOfItemsByteForByte() {
    goldenItems().forEach((item, hex) -> assertThat(HEX.formatHex(item.encode())).isEqualTo(hex));
  }

  @Test
  void shouldDecodeWhatItEncodes() {
    goldenItems()
        .forEach(
            (item, hex) -> {
              NodeItem read = ItemCodec.decode(HEX.parseHex(hex));
              assertThat(read.getClass()).isEqualTo(item.getClass());
              assertThat(HEX.formatHex(read.encode())).isEqualTo(hex);
            });
  }

  @Test
  void shouldKeepTheFormatOfBatchesByteForByte() {
    StreamBatch batch = new StreamBatch(2, 3, 258, List.of(new byte[] {7}, new byte[] {8, 9}));
    String hex =
        "01" + "0000000000000002" + "0000000000000003" + "0000000000000102" + "02" + "0107020809";
    assertThat(HEX.formatHex(batch.encode())).isEqualTo(hex);
    StreamBatch read = StreamBatch.decode(HEX.parseHex(hex));
    assertThat(HEX.formatHex(read.encode())).isEqualTo(hex);
    ItemOutcome[] outcomes = {ItemOutcome.ACCEPTED, ItemOutcome.REJECTED, ItemOutcome.NO_CAPACITY};
    byte[] answer = StreamBatch.encodeResponse(outcomes);
    assertThat(HEX.formatHex(answer)).isEqualTo("01" + "03" + "010002");
    assertThat(StreamBatch.decodeResponse(answer, 3)).containsExactly(outcomes);
  }

  @Test
  void shouldRejectUnknownFormats() {
    for (String hex : List.of("0c", "", "06" + HANDLE_HEX + "00")) {
      assertThatThrownBy(() -> ItemCodec.decode(HEX.parseHex(hex)))
          .isInstanceOf(MalformedBytesException.class);
    }
    assertThatThrownBy(() -> ItemCodec.decode(new byte[] {12}))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("upgrade this node");
    assertThatThrownBy(() -> StreamBatch.decode(new byte[] {2}))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("upgrade this node");
    assertThatThrownBy(() -> StreamBatch.decodeResponse(new byte[] {1, 1, 3}, 1))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("upgrade this node");
    assertThatThrownBy(() -> StreamBatch.decodeResponse(new byte[] {1, 0}, 1))
        .isInstanceOf(MalformedBytesException.class);
  }
}
