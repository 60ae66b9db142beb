package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.tls.ClusterTls;
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
  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Impatient, so that tests of silence do not take long. */
  static final PeerSettings SETTINGS =
      new PeerSettings(
          Duration.ofSeconds(5),
          Duration.ofMillis(1),
          Duration.ofMillis(20),
          Duration.ofMillis(50),
          Duration.ofMillis(500),
          1 << 20,
          100,
          1 << 18,
          2);

  /** After a failed attempt to connect, calls fail at once for longer than any test takes. */
  static final PeerSettings LONG_PAUSES =
      new PeerSettings(
          SETTINGS.connectTimeout(),
          Duration.ofHours(1),
          Duration.ofHours(1),
          SETTINGS.pingInterval(),
          SETTINGS.silence(),
          SETTINGS.maxQueuedBytes(),
          SETTINGS.maxUnanswered(),
          SETTINGS.maxMessageBytes(),
          SETTINGS.ioThreads());

  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final List<AutoCloseable> open = new ArrayList<>();

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
    open.add(port);
    return port;
  }

  /** Others find the node here from now on. */
  void redirect(NodeId node, InetSocketAddress address) {
    addresses.put(node, address);
  }

  <T extends AutoCloseable> T closeLater(T part) {
    open.add(part);
    return part;
  }

  static NodeAddress addressOf(PeerPort port) {
    InetSocketAddress bound = port.boundAddress();
    return new NodeAddress(bound.getAddress().getHostAddress(), bound.getPort());
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable part : open) {
      part.close();
    }
  }
}
