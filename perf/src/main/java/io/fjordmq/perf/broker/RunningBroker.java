package io.fjordmq.perf.broker;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.BrokerWatch;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A broker that serves clients.
 *
 * @param name name in reports
 * @param addresses of its nodes
 * @param tls how clients connect; null for plain TCP
 * @param watch observes its processes and metrics
 * @param processes its nodes, if they were started here
 * @param limits resource limits of its nodes, if they were started here
 * @param keepsRunning whether it keeps running after the run
 * @param stop stops the processes that were started for it
 */
public record RunningBroker(
    String name,
    List<InetSocketAddress> addresses,
    @Nullable SslContext tls,
    BrokerWatch watch,
    List<BrokerProcess> processes,
    LimitedNodes limits,
    boolean keepsRunning,
    Runnable stop)
    implements AutoCloseable {
  /**
   * Creates event loops for its clients. Remote addresses are allowed, because the tool never
   * starts a broker on another host and the user has confirmed the addresses of a running one.
   */
  public ClientLoops loops(int threads) {
    return new ClientLoops(addresses, threads, tls, true);
  }

  /**
   * Returns this broker, marked as one that keeps running, so that its persistent sessions must be
   * removed.
   */
  public RunningBroker reused() {
    return new RunningBroker(name, addresses, tls, watch, processes, limits, true, () -> {});
  }

  /** Start time and idle memory of its first node; empty if it was not started here. */
  public Map<ResultMetric, Double> startFigures() {
    if (processes.isEmpty()) {
      return Map.of();
    }
    BrokerProcess node = processes.get(0);
    return Map.of(
        ResultMetric.START_SECONDS,
        node.startSeconds(),
        ResultMetric.START_MB,
        node.idleKilobytes() / 1024.0);
  }

  /** The process id of its first node. */
  public long pid() {
    return processes.get(0).pid();
  }

  /**
   * Returns this broker for clients that connect over plain TCP, marked as one that keeps running.
   */
  public RunningBroker overTcp() {
    List<InetSocketAddress> plain = processes.stream().map(BrokerProcess::address).toList();
    return new RunningBroker(name, plain, null, watch, processes, limits, true, () -> {});
  }

  @Override
  public void close() {
    stop.run();
  }
}
