package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.Hello;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the address book up to date. While this node cannot reach the metadata leader, it sends
 * hellos to every address it has learned; it always sends hellos to nodes that have not confirmed
 * their address in the metadata. Therefore all nodes can change their addresses while they are
 * stopped, as long as some of them can be reached through the seeds.
 */
final class AddressDiscovery {
  private static final Logger LOG = LoggerFactory.getLogger(AddressDiscovery.class);

  /** Maximum number of addresses to keep that other nodes have reported. */
  private static final int MAX_REPORTED = 1_000;

  private final NodeIdentity self;
  private final JoinOptions options;
  private final PeerNetwork peers;
  private final MetadataGroup metadata;
  private final NodeAddresses addresses;
  private final BooleanSupplier leaderReachable;
  private final ClusterClock clock;
  private final WallClockComparison clocks;
  private final Timers timers;
  private final Set<NodeAddress> reported = ConcurrentHashMap.newKeySet();
  private final Set<NodeAddress> pending = ConcurrentHashMap.newKeySet();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * @param leaderReachable whether the metadata leader responds to this node
   */
  AddressDiscovery(
      NodeIdentity self,
      JoinOptions options,
      PeerNetwork peers,
      MetadataGroup metadata,
      NodeAddresses addresses,
      BooleanSupplier leaderReachable,
      ClusterClock clock,
      Timers timers) {
    this.self = self;
    this.options = options;
    this.peers = peers;
    this.metadata = metadata;
    this.addresses = addresses;
    this.leaderReachable = leaderReachable;
    this.clock = clock;
    this.clocks = new WallClockComparison(clock.wall());
    this.timers = timers;
  }

  /** Starts responding to hellos and sending them periodically. Must be called once. */
  void begin() {
    peers.setHelloHandler(this::replyTo);
    sendHellos();
  }

  /** Called on any thread. */
  private HelloReply replyTo(Hello hello) {
    if (self.clusterId().equals(hello.clusterId())
        && hello.node() != null
        && hello.address() != null
        && !hello.node().equals(self.node())) {
      addresses.onAddress(hello.node(), hello.address());
    }
    var replicas = metadata.status().replicas();
    Map<io.fjordmq.cluster.NodeId, NodeAddress> known = addresses.all();
    known.put(self.node(), options.address());
    ClusterRecord cluster = ClusterRecord.of(metadata.view());
    return new HelloReply(
        self.clusterId(),
        cluster == null ? "" : cluster.env(),
        self.node(),
        peers.fence().ownStart(),
        options.address(),
        replicas.voters(),
        replicas.learners(),
        metadata.leadership().leader(),
        known,
        clock.millis(),
        LevelRecord.of(metadata.view()).level());
  }

  private void sendHellos() {
    timers.schedule(options.settings().helloInterval().toMillis(), this::sendHellos);
    Set<NodeAddress> targets = new HashSet<>(addresses.unconfirmed().values());
    if (!leaderReachable.getAsBoolean()) {
      targets.addAll(options.seeds().latest());
      targets.addAll(addresses.all().values());
      targets.addAll(reported);
    }
    targets.remove(options.address());
    targets.stream().filter(pending::add).forEach(this::sendHello);
  }

  private void sendHello(NodeAddress address) {
    long sentMillis = clocks.now();
    StartStamp own = peers.fence().ownStart();
    Hello hello = new Hello(self.clusterId(), self.node(), options.address(), own);
    peers
        .sendHello(address, hello, options.settings().helloTimeout())
        .whenComplete(
            (reply, failure) -> {
              pending.remove(address);
              if (reply != null) {
                processReply(address, reply, sentMillis);
              } else {
                LOG.debug(
                    "Hello request to a node failed: {} " + "address={}",
                    failure.getMessage(),
                    address);
                fenceIfRefused(own, failure);
              }
            });
  }

  private void fenceIfRefused(StartStamp sentStamp, Throwable failure) {
    if (OperationException.isAny(failure, PeerException.Kind.FENCED)) {
      String reason = String.valueOf(OperationException.unwrap(failure).getMessage());
      peers.fence().onRefused(sentStamp, reason);
    }
  }

  private void processReply(NodeAddress address, HelloReply reply, long sentMillis) {
    if (!reply.clusterId().equals(self.clusterId())) {
      if (warned.add(address + reply.clusterId())) {
        LOG.error(
            "A seed belongs to another cluster; correct clusterConfig.seedEndpoints "
                + "address={} cluster={} own={}",
            address,
            reply.clusterId(),
            self.clusterId());
      }
      return;
    }
    if (reply.node().equals(self.node())
        || peers.fence().refusal(reply.node(), reply.start()) != null) {
      return; // this node itself, or a copy of another one
    }
    addresses.onAddress(reply.node(), reply.address());
    if (reported.size() < MAX_REPORTED) {
      reported.addAll(reply.addresses().values());
    }
    Duration ahead = clocks.ahead(reply, sentMillis);
    if (ahead.abs().compareTo(options.settings().clockWarningThreshold()) >= 0
        && warned.add("clock " + reply.node())) {
      LOG.warn(
          "Clocks differ; messages and sessions may expire too early or too late: {}",
          WallClockComparison.describeDifference(ahead, reply));
    }
  }
}
