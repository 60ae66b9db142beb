package io.fjordmq.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
  private final EventLoops loops =
      new EventLoops(1, Executors.defaultThreadFactory(), NioIoHandler.newFactory());
  private ServerSocket server;

  @BeforeEach
  void listen() throws Exception {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws Exception {
    server.close();
  }

  private Channel connect(ChannelHandler handler) {
    return new Bootstrap()
        .group(loops)
        .channel(NioSocketChannel.class)
        .handler(handler)
        .connect(server.getLocalSocketAddress())
        .channel();
  }

  /** Shuts the loop down while it runs a task. */
  private void stopWhileBusy() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    loops.execute(
        () -> {
          busy.countDown();
          while (!loops.isShuttingDown()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
          }
        });
    busy.await();
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).get(10, TimeUnit.SECONDS);
  }

  @Test
  void shouldCloseTheChannelsOfALoopThatIsShutDownWhileItRunsTasks() throws Exception {
    CountDownLatch removed = new CountDownLatch(1);
    Channel channel =
        connect(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void handlerRemoved(ChannelHandlerContext ctx) {
                removed.countDown();
              }
            });
    stopWhileBusy();
    assertThat(channel.isOpen()).isFalse();
    assertThat(removed.getCount()).isZero();
  }

  @Test
  void shouldCloseAChannelThatIsOpenedWhileTheOthersClose() throws Exception {
    CompletableFuture<Channel> reconnected = new CompletableFuture<>();
    connect(
        new ChannelInboundHandlerAdapter() {
          @Override
          public void handlerRemoved(ChannelHandlerContext ctx) {
            reconnected.complete(connect(new ChannelInboundHandlerAdapter()));
          }
        });
    stopWhileBusy();
    assertThat(reconnected.get(10, TimeUnit.SECONDS).isOpen()).isFalse();
  }
}
