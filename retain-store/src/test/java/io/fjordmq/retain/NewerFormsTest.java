package io.fjordmq.retain;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.NewerFormException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what a newer node has written is refused with words. */
class NewerFormsTest {
  private static final byte[] NEXT = {2, 0, 0, 0};

  @Test
  void shouldRefuseEveryFormOfTheNextVersion() {
    for (Runnable read :
        List.<Runnable>of(
            () -> RetainRow.decode(NEXT),
            () -> RetainQuery.decode(new ByteReader(NEXT)),
            () -> RetainCommand.decode(new ByteReader(NEXT)))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormException.class)
          .hasMessageEndingWith(" has version 2, this node reads version 1: upgrade this node");
    }
  }

  @Test
  void shouldKeepOutOfTheLogWhatItCouldNotApply() {
    RetainCommand.requireReadable(new ByteReader(new RetainCommand.Expire(1).encode()));
    for (byte[] command : new byte[][] {{2, 1}, {1, 9}}) {
      assertThatThrownBy(() -> RetainCommand.requireReadable(new ByteReader(command)))
          .isInstanceOf(NewerFormException.class);
    }
  }
}
