package io.fjordmq.broker.net;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;

/**
 * The operating system's API for network I/O.
 *
 * @param name the name, for the log
 * @param ioHandlers the factory of the event loops' I/O handlers
 * @param serverChannel the channel type for listening on TCP
 * @param unixServerChannel the channel type for listening on Unix domain sockets
 */
public record Transport(
    String name,
    IoHandlerFactory ioHandlers,
    Class<? extends ServerSocketChannel> serverChannel,
    Class<? extends ServerChannel> unixServerChannel) {

  /** Returns the best available transport: epoll on Linux, otherwise NIO. */
  public static Transport best() {
    return Epoll.isAvailable() ? epoll() : nio();
  }

  /**
   * Returns a transport by name: {@code auto}, {@code epoll}, {@code nio} or {@code io_uring}.
   *
   * @throws IllegalArgumentException if the name is unknown or the transport is not available
   */
  public static Transport named(String name) {
    return switch (name) {
      case "auto" -> best();
      case "nio" -> nio();
      case "epoll" -> {
        require(name, Epoll.unavailabilityCause());
        yield epoll();
      }
      case "io_uring" -> {
        require(name, IoUring.unavailabilityCause());
        yield new Transport(
            name,
            IoUringIoHandler.newFactory(),
            IoUringServerSocketChannel.class,
            IoUringServerDomainSocketChannel.class);
      }
      default ->
          throw new IllegalArgumentException(
              "transport must be auto, epoll, nio or io_uring, not " + name);
    };
  }

  private static void require(
      String name, @org.jspecify.annotations.Nullable Throwable unavailable) {
    if (unavailable != null) {
      throw new IllegalArgumentException(
          "transport " + name + " is not available on this system: " + unavailable.getMessage(),
          unavailable);
    }
  }

  private static Transport epoll() {
    return new Transport(
        "epoll",
        EpollIoHandler.newFactory(),
        EpollServerSocketChannel.class,
        EpollServerDomainSocketChannel.class);
  }

  private static Transport nio() {
    return new Transport(
        "nio",
        NioIoHandler.newFactory(),
        NioServerSocketChannel.class,
        NioServerDomainSocketChannel.class);
  }
}
