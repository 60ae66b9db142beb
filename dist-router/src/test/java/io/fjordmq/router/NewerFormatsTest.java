package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.NewerFormatException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what a newer node has written is refused with words. */
class NewerFormatsTest {
  private static final byte[] NEXT = {2, 0, 0, 0};

  @Test
  void shouldRefuseEveryFormOfTheNextVersion() {
    byte[] key = RouteCodec.key(Routes.toInbox("a", "c"));
    for (Runnable read :
        List.<Runnable>of(
            () -> RouteCodec.decode(key, NEXT),
            () -> RouteCommand.decode(new ByteReader(NEXT)),
            () -> RouteChanged.decode(NEXT),
            () -> StaleRoutesRemoved.decode(NEXT))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormatException.class)
          .hasMessageEndingWith(" has version 2, this node reads version 1: upgrade this node");
    }
    assertThatThrownBy(() -> RouteCommand.decode(new ByteReader(new byte[] {1, 9})))
        .isInstanceOf(NewerFormatException.class);
  }
}
