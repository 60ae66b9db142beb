package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.protocol.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A channel whose bytes another server carries. */
class TunnelChannelTest {
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final RecordingCarrier carrier = new RecordingCarrier();
  private final List<String> received = new ArrayList<>();
  private final TunnelChannel channel =
      new TunnelChannel(Peer.plain("httpConfig", new InetSocketAddress("127.0.0.1", 1)), carrier);

  /** Used only on the event loop. */
  private static final class RecordingCarrier implements TunnelChannel.Carrier {
    private final List<String> sent = new ArrayList<>();
    private final List<Runnable> pending = new ArrayList<>();
    private int demanded;
    private boolean closed;

    @Override
    public void demand() {
      demanded++;
    }

    @Override
    public void send(ByteBuffer bytes, Runnable done) {
      assertThat(pending).as("sends in progress").isEmpty();
      sent.add(StandardCharsets.UTF_8.decode(bytes).toString());
      pending.add(done);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @BeforeEach
  void register() {
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(8, 16));
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ByteBuf bytes = (ByteBuf) msg;
                received.add(bytes.toString(StandardCharsets.UTF_8));
                bytes.release();
              }

              @Override
              public void channelInactive(ChannelHandlerContext ctx) {
                received.add("end");
              }
            });
    loops.register(channel).syncUninterruptibly();
  }

  @AfterEach
  void stop() {
    channel.close().syncUninterruptibly();
    loops.shutdownGracefully();
  }

  private <T> T onLoop(Callable<T> task) throws Exception {
    return channel.eventLoop().submit(task).get();
  }

  private void write(String text) {
    channel.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  private void receive(String text) {
    channel.receive(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private void completeSend() throws Exception {
    onLoop(() -> carrier.pending.remove(0)).run();
  }

  @Test
  void shouldHaveOneSendInProgress() throws Exception {
    write("a");
    write("b");
    write("c");
    assertThat(onLoop(() -> List.copyOf(carrier.sent))).containsExactly("a");
    completeSend();
    assertThat(onLoop(() -> List.copyOf(carrier.sent))).containsExactly("a", "bc");
  }

  @Test
  void shouldBeUnwritableWhileTheClientDoesNotRead() throws Exception {
    write("0123456789");
    write("0123456789");
    assertThat(onLoop(channel::isWritable)).isFalse();
    completeSend();
    completeSend();
    assertThat(onLoop(channel::isWritable)).isTrue();
  }

  @Test
  void shouldDemandBytesOneAfterTheOther() throws Exception {
    assertThat(onLoop(() -> carrier.demanded)).isEqualTo(1);
    receive("a");
    assertThat(onLoop(() -> carrier.demanded)).isEqualTo(2);
    assertThat(onLoop(() -> List.copyOf(received))).containsExactly("a");
  }

  @Test
  void shouldDemandNothingWhileReadingIsPaused() throws Exception {
    onLoop(() -> channel.config().setAutoRead(false));
    receive("a");
    assertThat(onLoop(() -> carrier.demanded)).isEqualTo(1);
    onLoop(() -> channel.config().setAutoRead(true));
    assertThat(onLoop(() -> carrier.demanded)).isEqualTo(2);
  }

  @Test
  void shouldEndWithTheClient() throws Exception {
    write("never sent");
    channel.onClosed();
    channel.closeFuture().syncUninterruptibly();
    completeSend(); // a late confirmation has no effect
    receive("late");
    assertThat(onLoop(() -> List.copyOf(received))).containsExactly("end");
  }

  @Test
  void shouldCloseTheConnectionOfTheClient() throws Exception {
    onLoop(() -> channel.config().setAutoRead(false));
    receive("a");
    int before = onLoop(() -> carrier.demanded);
    channel.close().syncUninterruptibly();
    assertThat(onLoop(() -> carrier.closed)).isTrue();
    assertThat(onLoop(() -> carrier.demanded)).as("for the confirmation").isEqualTo(before + 1);
  }
}
