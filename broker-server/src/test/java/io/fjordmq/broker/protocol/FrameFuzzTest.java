package io.fjordmq.broker.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * For any bytes a client sends, the broker either closes the connection with a reason or accepts
 * the packet and reads the next one from its beginning.
 */
class FrameFuzzTest {
  @AfterContainer
  static void requireNoLeaks() {
    assertThat(LeakDetector.leaks()).isEmpty();
  }

  private static final List<String> PACKETS =
      List.of(
          "30 0e 0003 612f62 05 02 0000000a 686921",
          "32 07 0001 61 0001 00 78",
          "34 0a 0001 61 0002 03 23 0001 78",
          "40 02 0001",
          "50 03 0001 00",
          "62 04 0001 00 00",
          "70 02 0001",
          "82 09 0001 02 0b05 0001 61 01",
          "a2 08 0001 00 0003 612f62",
          "c0 00");

  @Property(tries = 400)
  void shouldStayInSyncOrCloseTheConnection(@ForAll long seed) {
    Random random = new Random(seed);
    String hex = PACKETS.get(random.nextInt(PACKETS.size())).replace(" ", "");
    byte[] bytes = ByteBufUtil.decodeHexDump(hex);
    for (int i = random.nextInt(3); i >= 0; i--) {
      // Any byte but the remaining length may change, so that the packet stays complete.
      int at = random.nextInt(bytes.length);
      if (at != 1) {
        bytes[at] = (byte) random.nextInt(256);
      }
    }
    try (World world = new World()) {
      TestClient client = world.open().connect5("c", true, 0);
      client.readAll();
      client.sendHex(ByteBufUtil.hexDump(bytes));
      client.sendHex("c000");
      List<String> answers = client.readAll();
      if (client.isOpen()) {
        assertThat(answers).as(ByteBufUtil.hexDump(bytes)).contains("PINGRESP");
      } else {
        assertThat(world.observer.disconnected).hasSize(1);
      }
    }
  }
}
