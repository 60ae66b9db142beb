package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.testing.RecordBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Cluster ports of several nodes on loopback, closed together. */
final class TestPorts implements AutoCloseable {
  static final String CLUSTER = "c1";
  static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** Short timeouts, so that tests of unresponsive peers are quick. */
  static final PeerSettings SETTINGS =
      RecordBuilder.from(PeerSettings.DEFAULT)
          .with(PeerSettings::connectTimeout, Duration.ofSeconds(5))
          .with(PeerSettings::minReconnectBackoff, Duration.ofMillis(1))
          .with(PeerSettings::maxReconnectBackoff, Duration.ofMillis(20))
          .with(PeerSettings::pingInterval, Duration.ofMillis(50))
          .with(PeerSettings::idleTimeout, Duration.ofMillis(500))
          .with(PeerSettings::maxQueuedBytes, 1 << 20)
          .with(PeerSettings::maxPendingCalls, 100)
          .with(PeerSettings::maxMessageBytes, 1 << 18)
          .with(PeerSettings::ioThreads, 2)
          .build();

  /** After a failed connection attempt, calls fail immediately for longer than any test runs. */
  static final PeerSettings LONG_BACKOFF =
      RecordBuilder.from(SETTINGS)
          .with(PeerSettings::minReconnectBackoff, Duration.ofHours(1))
          .with(PeerSettings::maxReconnectBackoff, Duration.ofHours(1))
          .build();

  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final List<AutoCloseable> closeables = new ArrayList<>();

  PeerPort open(NodeId node) throws Exception {
    return open(CLUSTER, node, null, SETTINGS);
  }

  PeerPort open(String cluster, NodeId node, @Nullable ClusterTls tls, PeerSettings settings)
      throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    PeerPort port =
        PeerPort.open(
            new NodeIdentity(node, cluster),
            any,
            addresses::get,
            tls,
            settings,
            StartFence.inMemory(node, StartStamp.NONE));
    addresses.put(node, port.boundAddress());
    closeables.add(port);
    return port;
  }

  /** Makes other nodes use this address for the node from now on. */
  void redirect(NodeId node, InetSocketAddress address) {
    addresses.put(node, address);
  }

  <T extends AutoCloseable> T closeLater(T part) {
    closeables.add(part);
    return part;
  }

  static NodeAddress addressOf(PeerPort port) {
    InetSocketAddress bound = port.boundAddress();
    return new NodeAddress(bound.getAddress().getHostAddress(), bound.getPort());
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable part : closeables) {
      part.close();
    }
  }
}
