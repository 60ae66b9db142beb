package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemdNotifierTest {
  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

  private EventLoopGroup loop;

  @TempDir Path folder;

  @BeforeEach
  void open() {
    assumeTrue(Epoll.isAvailable(), "systemd runs on Linux only");
    loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  }

  @AfterEach
  void close() {
    if (loop != null) {
      loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  /** Receives datagrams as systemd does. */
  private Channel systemd(String address) {
    return new Bootstrap()
        .group(loop)
        .channel(EpollDomainDatagramChannel.class)
        .handler(
            new SimpleChannelInboundHandler<DomainDatagramPacket>() {
              @Override
              protected void channelRead0(ChannelHandlerContext ctx, DomainDatagramPacket packet) {
                received.add(packet.content().toString(StandardCharsets.UTF_8));
              }
            })
        .bind(new DomainSocketAddress(address))
        .syncUninterruptibly()
        .channel();
  }

  @Test
  void shouldTellThatTheProcessIsReadyAndThatItStops() throws InterruptedException {
    String path = folder.resolve("notify").toString();
    systemd(path);
    SystemdNotifier notifier = new SystemdNotifier(Optional.of(path));
    notifier.ready("Ready");
    notifier.stopping("Shutting down");
    assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("READY=1\nSTATUS=Ready");
    assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("STOPPING=1\nSTATUS=Shutting down");
  }

  @Test
  void shouldUseAbstractNames() throws InterruptedException {
    String name = "fjordmq-test-" + UUID.randomUUID();
    systemd("\0" + name);
    new SystemdNotifier(Optional.of("@" + name)).ready("Ready");
    assertThat(received.poll(10, TimeUnit.SECONDS)).startsWith("READY=1");
  }

  @Test
  void shouldSurviveWithoutSystemd() {
    String path = folder.resolve("absent").toString();
    assertThatCode(() -> new SystemdNotifier(Optional.of(path)).ready("Ready"))
        .doesNotThrowAnyException();
    assertThatCode(() -> new SystemdNotifier(Optional.empty()).ready("Ready"))
        .doesNotThrowAnyException();
  }
}
