package io.fjordmq.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ClientLoopsTest {
  /** An event loop that is shut down while it runs tasks does not close its channels itself. */
  @Test
  void shouldCloseTheConnectionsOfABusyLoop() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ClientLoops loops = new ClientLoops((InetSocketAddress) server.getLocalSocketAddress(), 1);
      LoadClient client = new LoadClient("c", true, LoadClient.Receiver.NOTHING);
      loops.connect(client);
      try (Socket connection = server.accept()) {
        assertThat(connection.getInputStream().read()).as("CONNECT").isEqualTo(0x10);
        EventLoop loop = loops.next();
        CountDownLatch busy = new CountDownLatch(1);
        loop.execute(
            () -> {
              busy.countDown();
              while (!loop.isShuttingDown()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
              }
            });
        busy.await();
        loops.close();
        assertThat(client.channel().isOpen()).isFalse();
        assertThat(client.connected()).isCompletedExceptionally();
      }
    }
  }
}
