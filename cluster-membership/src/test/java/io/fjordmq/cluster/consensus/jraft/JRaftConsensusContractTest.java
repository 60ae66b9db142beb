package io.fjordmq.cluster.consensus.jraft;

import static java.util.Objects.requireNonNull;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusContract;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** sofa-jraft fulfills the contract, over loopback and with real files. */
@Tag("slow")
final class JRaftConsensusContractTest extends ConsensusContract {
  private static final ConsensusSettings SETTINGS =
      ConsensusSettings.DEFAULT.withElectionTimeout(Duration.ofSeconds(1));

  @TempDir Path directory;
  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final Map<NodeId, JRaftHost> runningHosts = new HashMap<>();

  @AfterEach
  void close() {
    List.copyOf(runningHosts.keySet()).forEach(this::stop);
  }

  @Override
  public ConsensusHost start(NodeId node) throws Exception {
    RaftPortConfig port =
        new RaftPortConfig(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            addresses::get,
            TransportSettings.DEFAULT,
            StartFence.inMemory(node, StartStamp.NONE));
    JRaftHost host =
        JRaftHost.open(
            node, directory.resolve(node.value()), SETTINGS, ConsensusObserver.NONE, port);
    addresses.put(node, requireNonNull(host.boundAddress()));
    runningHosts.put(node, host);
    return host;
  }

  @Override
  public void stop(NodeId node) {
    requireNonNull(runningHosts.remove(node)).close();
    addresses.remove(node);
  }

  @Override
  public void advanceUntil(String what, BooleanSupplier condition) {
    Await.until(what, condition);
  }
}
