package io.fjordmq.broker.system;

import io.fjordmq.testing.Proxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A TCP proxy between a client and the broker that a test can cut, so that a connection closes
 * without a DISCONNECT.
 */
final class Link implements AutoCloseable {
  private final Proxy proxy;

  Link(SharedBroker.Port broker) {
    try {
      proxy = new Proxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.number()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  SharedBroker.Port port() {
    return new SharedBroker.Port(proxy.address().getPort());
  }

  /** Closes all current connections; new ones are possible. */
  void cut() {
    proxy.closeConnections();
  }

  @Override
  public void close() {
    try {
      proxy.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
