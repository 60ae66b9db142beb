package io.fjordmq.retain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: formats of a newer version are rejected with an explanation. */
class NewerFormatsTest {
  private static final byte[] NEXT_VERSION = {3, 0, 0, 0};

  @Test
  void shouldRejectEveryFormatOfTheNextVersion() {
    for (Runnable read :
        List.<Runnable>of(
            () -> RetainRow.decode(NEXT_VERSION),
            () -> RetainQuery.decode(ByteBuffer.wrap(NEXT_VERSION)),
            () -> RetainCommand.decode(ByteBuffer.wrap(NEXT_VERSION)))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormatException.class)
          .hasMessageContaining(" has version 3, this node reads version ")
          .hasMessageEndingWith(": upgrade this node");
    }
  }

  @Test
  void shouldReadFormatsOfOlderVersions() {
    HexFormat hex = HexFormat.of();
    RetainRow row = RetainRow.decode(hex.parseHex("01ac020908"));
    assertThat(row.retainPublisher()).isEqualTo(RetainPublisher.NONE);
    assertThat(row.message()).containsExactly(9, 8);
    PutMessage put =
        (PutMessage) RetainCommand.decode(ByteBuffer.wrap(hex.parseHex("010102ac0205010709")));
    assertThat(put.retainPublisher()).isEqualTo(RetainPublisher.NONE);
    assertThat(put.maxGrowth()).isEqualTo(5);
    assertThat(put.message()).containsExactly(9);
    ClearTopic clear = (ClearTopic) RetainCommand.decode(ByteBuffer.wrap(hex.parseHex("01020107")));
    assertThat(clear.retainPublisher()).isEqualTo(RetainPublisher.NONE);
    assertThat(clear.key()).containsExactly(7);
  }

  @Test
  void shouldRejectUnreadableCommandsBeforeTheLog() {
    RetainCommand.requireReadable(ByteBuffer.wrap(new ExpireMessages(1).encode()));
    for (byte[] command : new byte[][] {{3, 1}, {2, 9}}) {
      assertThatThrownBy(() -> RetainCommand.requireReadable(ByteBuffer.wrap(command)))
          .isInstanceOf(NewerFormatException.class);
    }
  }
}
