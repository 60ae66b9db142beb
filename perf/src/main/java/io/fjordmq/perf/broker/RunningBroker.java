package io.fjordmq.perf.broker;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.users.UserService;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A broker that serves clients.
 *
 * @param name name in reports
 * @param addresses addresses of its nodes
 * @param tls how clients connect; null for plain TCP
 * @param watch observes its processes and metrics
 * @param processes its nodes, if the tool has started them
 * @param users knows its users; null if clients are anonymous, or if the tool has not started it
 * @param limits resource limits of its nodes, if the tool has started them
 * @param keepsRunning whether the broker keeps running after the run
 * @param stop stops the processes that were started for it
 */
public record RunningBroker(
    String name,
    List<InetSocketAddress> addresses,
    @Nullable SslContext tls,
    BrokerWatch watch,
    List<BrokerProcess> processes,
    @Nullable UserService users,
    LimitedNodes limits,
    boolean keepsRunning,
    Runnable stop)
    implements AutoCloseable {
  /**
   * Creates event loops for the broker's clients. Remote addresses are allowed, because the tool
   * starts brokers only on this host, and the user has confirmed the addresses of external brokers.
   */
  public ClientLoops loops(int threads) {
    return new ClientLoops(addresses, threads, tls, true);
  }

  /**
   * Returns this broker, marked as one that keeps running, so that its persistent sessions must be
   * removed.
   */
  public RunningBroker reused() {
    return new RunningBroker(name, addresses, tls, watch, processes, users, limits, true, () -> {});
  }

  /**
   * Returns the startup time and idle memory of the first node; empty if the tool has not started
   * the broker.
   */
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

  /** Returns the process id of the first node. */
  public long pid() {
    return processes.get(0).pid();
  }

  /**
   * Returns this broker for clients that connect over plain TCP, marked as one that keeps running.
   */
  public RunningBroker overTcp() {
    List<InetSocketAddress> plain = processes.stream().map(BrokerProcess::address).toList();
    return new RunningBroker(name, plain, null, watch, processes, users, limits, true, () -> {});
  }

  @Override
  public void close() {
    stop.run();
  }
}
