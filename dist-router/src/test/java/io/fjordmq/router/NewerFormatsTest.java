package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: formats of a newer version are rejected with an explanation. */
class NewerFormatsTest {
  private static final byte[] NEXT_VERSION = {2, 0, 0, 0};

  @Test
  void shouldRejectEveryFormatOfTheNextVersion() {
    byte[] key = RouteKeys.of(Routes.toInbox("a", "c"));
    for (Runnable read :
        List.<Runnable>of(
            () -> RouteRow.decode(key, NEXT_VERSION),
            () -> RouteCommand.decode(ByteBuffer.wrap(NEXT_VERSION)),
            () -> RouteChanged.decode(NEXT_VERSION),
            () -> StaleRoutesRemoved.decode(NEXT_VERSION))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormatException.class)
          .hasMessageEndingWith(" has version 2, this node reads version 1: upgrade this node");
    }
    assertThatThrownBy(() -> RouteCommand.decode(ByteBuffer.wrap(new byte[] {1, 9})))
        .isInstanceOf(NewerFormatException.class);
  }
}
