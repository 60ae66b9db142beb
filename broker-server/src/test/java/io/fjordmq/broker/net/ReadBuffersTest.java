package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ReadBuffersTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ExtendedHandle handle = new ReadBuffers().newHandle();

  @Test
  void shouldGrowWhenABufferWasFilled() {
    assertThat(handle.guess()).isEqualTo(512);
    read(512);
    assertThat(handle.guess()).isGreaterThanOrEqualTo(8_192);
    read(handle.guess());
    assertThat(handle.guess()).isEqualTo(65_536);
    read(65_536);
    assertThat(handle.guess()).isEqualTo(65_536);
  }

  @Test
  void shouldShrinkAfterTwoSmallReads() {
    read(512);
    read(handle.guess());
    read(40_000);
    read(2);
    assertThat(handle.guess()).isEqualTo(65_536);
    read(2);
    assertThat(handle.guess()).isEqualTo(32_768);
    for (int i = 0; i < 20; i++) {
      read(2);
    }
    assertThat(handle.guess()).isEqualTo(512);
  }

  @Test
  void shouldKeepASizeThatFits() {
    read(512);
    int size = handle.guess();
    for (int i = 0; i < 10; i++) {
      read(2);
      read(size / 2 + 1);
    }
    assertThat(handle.guess()).isEqualTo(size);
  }

  private void read(int bytes) {
    handle.reset(channel.config());
    handle.attemptedBytesRead(handle.guess());
    handle.lastBytesRead(bytes);
    handle.incMessagesRead(1);
    handle.readComplete();
  }
}
