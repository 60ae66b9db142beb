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
 * Keeps the address book true: while this node is cut off it says hello to every address it ever
 * heard of, and always to nodes whose own word differs from the metadata. So all nodes may change
 * their addresses between two starts while the seeds still lead to some.
 */
final class AddressDiscovery {
  private static final Logger LOG = LoggerFactory.getLogger(AddressDiscovery.class);

  /** Hearsay beyond that is not followed. */
  private static final int MAX_TOLD = 1_000;

  private final NodeIdentity self;
  private final JoinSettings settings;
  private final PeerNetwork peers;
  private final MetadataGroup metadata;
  private final NodeAddresses addresses;
  private final BooleanSupplier inTouch;
  private final ClusterClock clock;
  private final Clocks clocks;
  private final SerialTimers timers;
  private final Set<NodeAddress> told = ConcurrentHashMap.newKeySet();
  private final Set<NodeAddress> asking = ConcurrentHashMap.newKeySet();
  private final Set<String> complained = ConcurrentHashMap.newKeySet();

  /**
   * @param inTouch whether the leader of the metadata answers this node
   */
  AddressDiscovery(
      NodeIdentity self,
      JoinSettings settings,
      PeerNetwork peers,
      MetadataGroup metadata,
      NodeAddresses addresses,
      BooleanSupplier inTouch,
      ClusterClock clock,
      SerialTimers timers) {
    this.self = self;
    this.settings = settings;
    this.peers = peers;
    this.metadata = metadata;
    this.addresses = addresses;
    this.inTouch = inTouch;
    this.clock = clock;
    this.clocks = new Clocks(clock.wall());
    this.timers = timers;
  }

  /** Answers others from now on, and asks again and again. To be called once. */
  void begin() {
    peers.introduceBy(this::introduce);
    round();
  }

  /** On any thread. */
  private HelloReply introduce(Hello hello) {
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
    if (!inTouch.getAsBoolean()) {
      targets.addAll(settings.seeds());
      targets.addAll(addresses.all().values());
      targets.addAll(told);
    }
    targets.remove(settings.address());
    targets.stream().filter(asking::add).forEach(this::greet);
  }

  private void greet(NodeAddress address) {
    long askedMillis = clocks.now();
    StartStamp own = peers.fence().own();
    Hello hello = new Hello(self.clusterId(), self.node(), settings.address(), own);
    peers
        .greet(address, hello, settings.helloTimeout())
        .whenComplete(
            (answer, failure) -> {
              asking.remove(address);
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
      if (complained.add(address + answer.clusterId())) {
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
      return; // this node by another name, or a copy of another
    }
    addresses.onAddress(answer.node(), answer.address());
    if (told.size() < MAX_TOLD) {
      told.addAll(answer.addresses().values());
    }
    Duration ahead = clocks.ahead(answer, askedMillis);
    if (ahead.abs().compareTo(settings.clockWarning()) >= 0
        && complained.add("clock " + answer.node())) {
      LOG.warn(
          "Clocks differ; messages and sessions may expire too early or too late: {}",
          Clocks.apart(ahead, answer));
    }
  }
}
