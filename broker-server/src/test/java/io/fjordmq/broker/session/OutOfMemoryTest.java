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
 * Goal: when no direct memory is available for the packets of one client, its session ends and no
 * other client is affected.
 */
class OutOfMemoryTest {
  private static final String LARGE = "x".repeat(40_000);

  private final World world = new World();
  private final LimitedAllocator allocator = new LimitedAllocator();
  private final TestClient publisher = connect("p", 0);

  @AfterEach
  void close() {
    world.close();
  }

  private TestClient connect(String clientId, int expirySeconds) {
    TestClient client = world.open().connect5(clientId, false, expirySeconds);
    client.readAll();
    return client;
  }

  private TestClient connectWithLimitedMemory(String clientId, int expirySeconds) {
    var enough = world.buffers;
    world.buffers = allocator;
    TestClient client = connect(clientId, expirySeconds);
    world.buffers = enough;
    return client;
  }

  @Test
  void shouldEndOnlySessionsWhosePacketsCannotBeAllocated() {
    TestClient live = connectWithLimitedMemory("live", 0).subscribe(1, "a", 1);
    TestClient stored = connectWithLimitedMemory("stored", 1_000).subscribe(1, "a", 1);
    TestClient unaffected = connect("rich", 0).subscribe(1, "a", 1);
    live.readAll();
    stored.readAll();
    unaffected.readAll();
    allocator.exhausted = true;

    publisher.publish(1, 1, "a", "m").expect("PUBACK 1");

    unaffected.expect("PUBLISH q1 id=1 a m");
    live.expect("DISCONNECT 83");
    stored.expect("DISCONNECT 83");
    assertThat(live.isOpen()).isFalse();
    assertThat(world.observer.disconnected).isEqualTo(Map.of(CloseReason.INTERNAL_ERROR, 2));
    assertThat(world.observer.inflight).hasValue(1);
    allocator.exhausted = false;
    reconnectAndExpect("PUBLISH q1 dup id=1 a m");
  }

  private void reconnectAndExpect(String packet) {
    world.open().connect5("stored", false, 1_000).expect("CONNACK 0 present", packet);
  }

  @Test
  void shouldEndTheSessionOfAPublisherThatCannotBeAnswered() {
    TestClient starved = connectWithLimitedMemory("poor", 0);
    allocator.exhausted = true;
    starved.publish(1, 1, "a", "m").expect("DISCONNECT 83");
    assertThat(starved.isOpen()).isFalse();
  }

  @Test
  void shouldNotSendAPartialPacketWhenItsBufferCannotGrow() {
    TestClient starved =
        connectWithLimitedMemory("poor", 0).subscribe(1, "a", 0).subscribe(2, "$share/g/a", 0);
    starved.readAll();
    allocator.cannotGrow = true;
    String payload = "x".repeat(700);
    publisher.publish(0, 0, "a", payload);
    starved.expect("PUBLISH q0 a " + payload, "DISCONNECT 83");
    assertThat(starved.isOpen()).isFalse();
  }

  /** Like a socket, it copies heap buffers; a void promise does not report the failure. */
  private static final class FailingLargeWrites extends ChannelOutboundHandlerAdapter {
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
    TestClient starved = connectWithLimitedMemory("poor", 0).subscribe(1, "a", 0);
    starved.readAll();
    starved.channel().pipeline().addFirst(new FailingLargeWrites());
    publisher.publish(0, 0, "a", LARGE).publish(0, 0, "a", "next");
    starved.expect();
    assertThat(starved.isOpen()).isFalse();
    assertThat(world.observer.disconnected).isEqualTo(Map.of(CloseReason.INTERNAL_ERROR, 1));
  }

  /** Direct memory that can be exhausted. */
  private static final class LimitedAllocator extends AbstractByteBufAllocator {
    private boolean exhausted;
    private boolean cannotGrow;

    private LimitedAllocator() {
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
