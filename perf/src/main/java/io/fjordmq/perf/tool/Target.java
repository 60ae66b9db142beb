package io.fjordmq.perf.tool;

import io.fjordmq.perf.machine.BrokerWatch;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A broker the load can go to.
 *
 * @param name as reports show it
 * @param addresses of its nodes
 * @param tls how clients speak to it; null for plain TCP
 * @param watch what can be seen of it
 * @param limits of its nodes, as far as they were started here
 * @param staying whether it goes on living after the run
 * @param end ends what was started for it
 */
record Target(
    String name,
    List<InetSocketAddress> addresses,
    @Nullable SslContext tls,
    BrokerWatch watch,
    LimitedNodes limits,
    boolean staying,
    Runnable end)
    implements AutoCloseable {
  @Override
  public void close() {
    end.run();
  }
}
