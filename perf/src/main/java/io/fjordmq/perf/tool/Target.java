package io.fjordmq.perf.tool;

import io.fjordmq.perf.machine.BrokerWatch;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A broker under load.
 *
 * @param name in reports
 * @param addresses of its nodes
 * @param tls how clients connect; null for plain TCP
 * @param watch observes its processes and metrics
 * @param limits of its nodes, if they were started here
 * @param staying whether it keeps running after the run
 * @param end stops the processes that were started for it
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
