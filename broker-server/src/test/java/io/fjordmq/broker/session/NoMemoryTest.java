package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: where there is no memory outside the heap for what one client is sent, its session ends and
 * nobody else notices.
 */
class NoMemoryTest {
  private static final String LARGE = "x".repeat(40_000);

  private final World world = new World();
  private final Scarce scarce = new Scarce();
  private final TestClient publisher = connect("p", 0);

  @AfterEach
  void close() {
    world.close();
  }

  private TestClient connect(String clientId, int expirySeconds) {
    TestClient client = world.open().connect5(clientId, false, expirySeconds);
    client.all();
    return client;
  }

  private TestClient connectPoor(String clientId, int expirySeconds) {
    var enough = world.buffers;
    world.buffers = scarce;
    TestClient client = connect(clientId, expirySeconds);
    world.buffers = enough;
    return client;
  }

  @Test
  void shouldEndOnlyTheSessionsForWhosePacketsThereIsNoMemory() {
    TestClient live = connectPoor("live", 0).subscribe(1, "a", 1);
    TestClient stored = connectPoor("stored", 1_000).subscribe(1, "a", 1);
    TestClient rich = connect("rich", 0).subscribe(1, "a", 1);
    live.all();
    stored.all();
    rich.all();
    scarce.exhausted = true;

    publisher.publish(1, 1, "a", "m").expect("PUBACK 1");

    rich.expect("PUBLISH q1 id=1 a m");
    live.expect("DISCONNECT 83");
    stored.expect("DISCONNECT 83");
    assertThat(live.isOpen()).isFalse();
    assertThat(world.observer.disconnected).isEqualTo(Map.of(CloseReason.INTERNAL_ERROR, 2));
    assertThat(world.observer.inflight).hasValue(1);
    scarce.exhausted = false;
    connectAgainAndGet("PUBLISH q1 dup id=1 a m");
  }

  private void connectAgainAndGet(String packet) {
    world.open().connect5("stored", false, 1_000).expect("CONNACK 0 present", packet);
  }

  @Test
  void shouldEndTheSessionOfAPublisherThatCannotBeAnswered() {
    TestClient poor = connectPoor("poor", 0);
    scarce.exhausted = true;
    poor.publish(1, 1, "a", "m").expect("DISCONNECT 83");
    assertThat(poor.isOpen()).isFalse();
  }

  @Test
  void shouldNotSendAPacketInPartWhenItsBufferCannotGrow() {
    TestClient poor = connectPoor("poor", 0).subscribe(1, "a", 0).subscribe(2, "$share/g/a", 0);
    poor.all();
    scarce.cannotGrow = true;
    String payload = "x".repeat(700);
    publisher.publish(0, 0, "a", payload);
    poor.expect("PUBLISH q0 a " + payload, "DISCONNECT 83");
    assertThat(poor.isOpen()).isFalse();
  }

  /**
   * Like a socket: it copies what is on the heap, and a void promise is not told that it failed.
   */
  private static final class NoRoomToCopy extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object packet, ChannelPromise promise) {
      if (packet instanceof ByteBuf bytes && bytes.readableBytes() == LARGE.length()) {
        ReferenceCountUtil.release(packet);
        if (!promise.isVoid()) {
          promise.setFailure(new OutOfMemoryError("for the test"));
        }
      } else {
        ctx.write(packet, promise);
      }
    }
  }

  @Test
  void shouldCloseTheConnectionWhenALargePayloadCannotBeCopied() {
    TestClient poor = connectPoor("poor", 0).subscribe(1, "a", 0);
    poor.all();
    poor.channel().pipeline().addFirst(new NoRoomToCopy());
    publisher.publish(0, 0, "a", LARGE).publish(0, 0, "a", "next");
    poor.expect();
    assertThat(poor.isOpen()).isFalse();
    assertThat(world.observer.disconnected).isEqualTo(Map.of(CloseReason.INTERNAL_ERROR, 1));
  }

  /** Memory outside the heap that can be used up. */
  private static final class Scarce extends AbstractByteBufAllocator {
    private boolean exhausted;
    private boolean cannotGrow;

    private Scarce() {
      super(false);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (exhausted) {
        throw new OutOfMemoryError("for the test");
      }
      return new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity) {
        @Override
        public ByteBuf capacity(int newCapacity) {
          if (cannotGrow && newCapacity > capacity()) {
            throw new OutOfMemoryError("for the test");
          }
          return super.capacity(newCapacity);
        }
      };
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }
}
