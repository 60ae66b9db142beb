package io.fjordmq.retain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.NewerFormatException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what a newer node has written is refused with words. */
class NewerFormatsTest {
  private static final byte[] NEXT = {3, 0, 0, 0};

  @Test
  void shouldRefuseEveryFormOfTheNextVersion() {
    for (Runnable read :
        List.<Runnable>of(
            () -> RetainRow.decode(NEXT),
            () -> RetainQuery.decode(new ByteReader(NEXT)),
            () -> RetainCommand.decode(new ByteReader(NEXT)))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormatException.class)
          .hasMessageContaining(" has version 3, this node reads version ")
          .hasMessageEndingWith(": upgrade this node");
    }
  }

  @Test
  void shouldReadWhatAnOlderNodeHasWritten() {
    HexFormat hex = HexFormat.of();
    RetainRow row = RetainRow.decode(hex.parseHex("01ac020908"));
    assertThat(row.retainPublisher()).isEqualTo(RetainPublisher.NOBODY);
    assertThat(row.message()).containsExactly(9, 8);
    RetainCommand.Put put =
        (RetainCommand.Put)
            RetainCommand.decode(new ByteReader(hex.parseHex("010102ac0205010709")));
    assertThat(put.retainPublisher()).isEqualTo(RetainPublisher.NOBODY);
    assertThat(put.maxGrowth()).isEqualTo(5);
    assertThat(put.message()).containsExactly(9);
    RetainCommand.Clear clear =
        (RetainCommand.Clear) RetainCommand.decode(new ByteReader(hex.parseHex("01020107")));
    assertThat(clear.retainPublisher()).isEqualTo(RetainPublisher.NOBODY);
    assertThat(clear.key()).containsExactly(7);
  }

  @Test
  void shouldKeepOutOfTheLogWhatItCouldNotApply() {
    RetainCommand.requireReadable(new ByteReader(new RetainCommand.Expire(1).encode()));
    for (byte[] command : new byte[][] {{3, 1}, {2, 9}}) {
      assertThatThrownBy(() -> RetainCommand.requireReadable(new ByteReader(command)))
          .isInstanceOf(NewerFormatException.class);
    }
  }
}
