package io.fjordmq.common.net;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/**
 * The Netty classes for the connections between nodes.
 *
 * @param ioHandlers creates the I/O handlers of the event loops
 * @param channel class of outgoing connections
 * @param serverChannel class of listening sockets
 */
public record SocketTransport(
    IoHandlerFactory ioHandlers,
    Class<? extends SocketChannel> channel,
    Class<? extends ServerSocketChannel> serverChannel) {

  /**
   * Returns the best transport of this host: epoll on Linux, otherwise NIO. With NIO, waking an
   * event loop takes a lock that the loop holds while it selects, which is expensive at a few
   * thousand messages per second.
   */
  public static SocketTransport best() {
    return Epoll.isAvailable() ? epoll() : nio();
  }

  private static SocketTransport epoll() {
    return new SocketTransport(
        EpollIoHandler.newFactory(), EpollSocketChannel.class, EpollServerSocketChannel.class);
  }

  private static SocketTransport nio() {
    return new SocketTransport(
        NioIoHandler.newFactory(), NioSocketChannel.class, NioServerSocketChannel.class);
  }
}
