package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.Hello;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerNetwork;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the address book up to date. While this node cannot reach the metadata leader, it sends
 * hellos to every address it has learned; it always sends hellos to nodes that have not confirmed
 * their address in the metadata. So all nodes can change their addresses between two starts, as
 * long as the seeds lead to some of them.
 */
final class AddressDiscovery {
  private static final Logger LOG = LoggerFactory.getLogger(AddressDiscovery.class);

  /** Limits how many addresses reported by other nodes are tried. */
  private static final int MAX_REPORTED = 1_000;

  private final NodeIdentity self;
  private final JoinSettings settings;
  private final PeerNetwork peers;
  private final MetadataGroup metadata;
  private final NodeAddresses addresses;
  private final BooleanSupplier leaderReachable;
  private final ClusterClock clock;
  private final Clocks clocks;
  private final SerialTimers timers;
  private final Set<NodeAddress> reported = ConcurrentHashMap.newKeySet();
  private final Set<NodeAddress> pending = ConcurrentHashMap.newKeySet();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * @param leaderReachable whether the metadata leader responds to this node
   */
  AddressDiscovery(
      NodeIdentity self,
      JoinSettings settings,
      PeerNetwork peers,
      MetadataGroup metadata,
      NodeAddresses addresses,
      BooleanSupplier leaderReachable,
      ClusterClock clock,
      SerialTimers timers) {
    this.self = self;
    this.settings = settings;
    this.peers = peers;
    this.metadata = metadata;
    this.addresses = addresses;
    this.leaderReachable = leaderReachable;
    this.clock = clock;
    this.clocks = new Clocks(clock.wall());
    this.timers = timers;
  }

  /** Starts to answer hellos and to send them periodically. Must be called once. */
  void begin() {
    peers.answerHellosWith(this::replyTo);
    round();
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
    known.put(self.node(), settings.address());
    ClusterRecord cluster = ClusterRecord.of(metadata.view());
    return new HelloReply(
        self.clusterId(),
        cluster == null ? "" : cluster.env(),
        self.node(),
        peers.fence().own(),
        settings.address(),
        replicas.voters(),
        replicas.learners(),
        metadata.leadership().leader(),
        known,
        clock.millis());
  }

  private void round() {
    timers.schedule(settings.helloPause().toMillis(), this::round);
    Set<NodeAddress> targets = new HashSet<>(addresses.unconfirmed().values());
    if (!leaderReachable.getAsBoolean()) {
      targets.addAll(settings.seeds());
      targets.addAll(addresses.all().values());
      targets.addAll(reported);
    }
    targets.remove(settings.address());
    targets.stream().filter(pending::add).forEach(this::greet);
  }

  private void greet(NodeAddress address) {
    long askedMillis = clocks.now();
    StartStamp own = peers.fence().own();
    Hello hello = new Hello(self.clusterId(), self.node(), settings.address(), own);
    peers
        .greet(address, hello, settings.helloTimeout())
        .whenComplete(
            (answer, failure) -> {
              pending.remove(address);
              if (answer != null) {
                learn(address, answer, askedMillis);
              } else {
                LOG.debug("{}", failure.getMessage());
                fenceIfRefused(own, failure);
              }
            });
  }

  private void fenceIfRefused(StartStamp shown, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof PeerException why && why.kind() == PeerException.Kind.FENCED) {
      peers.fence().refused(shown, String.valueOf(why.getMessage()));
    }
  }

  private void learn(NodeAddress address, HelloReply answer, long askedMillis) {
    if (!answer.clusterId().equals(self.clusterId())) {
      if (warned.add(address + answer.clusterId())) {
        LOG.error(
            "A seed belongs to another cluster; correct clusterConfig.seedEndpoints "
                + "address={} cluster={} own={}",
            address,
            answer.clusterId(),
            self.clusterId());
      }
      return;
    }
    if (answer.node().equals(self.node())
        || peers.fence().refusal(answer.node(), answer.start()) != null) {
      return; // this node itself, or a copy of another one
    }
    addresses.onAddress(answer.node(), answer.address());
    if (reported.size() < MAX_REPORTED) {
      reported.addAll(answer.addresses().values());
    }
    Duration ahead = clocks.ahead(answer, askedMillis);
    if (ahead.abs().compareTo(settings.clockWarning()) >= 0
        && warned.add("clock " + answer.node())) {
      LOG.warn(
          "Clocks differ; messages and sessions may expire too early or too late: {}",
          Clocks.describeDifference(ahead, answer));
    }
  }
}
