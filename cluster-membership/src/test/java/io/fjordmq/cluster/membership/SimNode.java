package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.SeedSource;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimDisk;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimMachine;
import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.peer.Hello;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.cluster.peer.PeerNetwork;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One run of a node's membership in virtual time.
 *
 * @param group its replica of the metadata
 */
public record SimNode(SimHost host, MetadataGroup group, ClusterMembership membership) {
  private static final String CLOCK_KEY = "clock";
  private static final MetadataSettings METADATA = new MetadataSettings(1 << 16, 20);

  /** The version of a node, and a defect planted in it. */
  interface Defect {
    /** The cluster levels that its version supports. */
    default SupportedLevels levels() {
      return SupportedLevels.FIRST_ONLY;
    }

    /** The levels that it claims to support. */
    default SupportedLevels announcedLevels() {
      return levels();
    }

    default MembershipSettings settings() {
      return MembershipSettings.DEFAULT;
    }

    /** The speed of its clock, 1 if correct. */
    default double clockRate() {
      return 1;
    }

    /** Whether it always claims to serve clients. */
    default boolean claimsToServe() {
      return false;
    }

    /** Whether it always claims to reach all other nodes. */
    default boolean claimsToReachOthers() {
      return false;
    }

    /**
     * Whether its wall clock stops with the machine, so that the node cannot notice a suspension.
     */
    default boolean ignoresWallClock() {
      return false;
    }

    /** Whether it starts as if it had never saved cluster time. */
    default boolean losesClusterTime() {
      return false;
    }

    /** Its response to a request to the metadata leader, instead of the correct one. */
    default LeaderResponse respond(LeaderRequest request, LeaderResponse correct) {
      return correct;
    }

    /** Whether it reports that it is ready before it is. */
    default boolean reportsReadyEarly() {
      return false;
    }
  }

  static final Defect NONE = new Defect() {};

  /**
   * Starts the node with the contents of its disk.
   *
   * @param members the metadata replicas, if the node has none yet
   * @param seeds nodes that it sends hellos to while it is isolated
   */
  static SimNode start(
      SimHost host, LoopbackPeers peers, ReplicaSet members, List<NodeId> seeds, Defect defect)
      throws IOException {
    LoopbackPeers.Node calls = peers.start(host.node(), host.process());
    JoinOptions join =
        options(
            address(host.node()),
            seeds.stream().map(SimNode::address).toList(),
            defect.announcedLevels());
    return start(host, calls, members, join, defect.settings(), defect);
  }

  private static JoinOptions options(
      NodeAddress address, List<NodeAddress> seeds, SupportedLevels levels) {
    return new JoinOptions(
        JoinOptions.Creation.NONE,
        "Test",
        address,
        SeedSource.fixed(seeds),
        JoinSettings.DEFAULTS,
        levels);
  }

  private static NodeAddress address(NodeId node) {
    return new NodeAddress(node.value(), 1);
  }

  /**
   * Starts the node with the contents of its disk; its other services use the same connections.
   *
   * @param members the metadata replicas, if the node has none yet
   * @param address the address that it reports; calls find the node by its name anyway
   * @param clockRate the speed of its clock, 1 if correct
   * @param claimsToServe whether it claims to serve clients when it does not
   */
  public static SimNode start(
      SimHost host,
      LoopbackPeers.Node calls,
      ReplicaSet members,
      NodeAddress address,
      MembershipSettings settings,
      double clockRate,
      boolean claimsToServe)
      throws IOException {
    Defect defect =
        new Defect() {
          @Override
          public double clockRate() {
            return clockRate;
          }

          @Override
          public boolean claimsToServe() {
            return claimsToServe;
          }
        };
    JoinOptions join = options(address, List.of(), SupportedLevels.FIRST_ONLY);
    return start(host, calls, members, join, settings, defect);
  }

  private static SimNode start(
      SimHost host,
      LoopbackPeers.Node calls,
      ReplicaSet members,
      JoinOptions join,
      MembershipSettings settings,
      Defect defect)
      throws IOException {
    MetadataGroup.bootstrap(host, members);
    Storage storage = new Storage(host.disk());
    MetadataGroup group = MetadataGroup.open(host, storage, METADATA, host.process());
    double rate = defect.clockRate();
    ClusterMembership membership =
        ClusterMembership.start(
            new NodeIdentity(host.node(), "simulated"),
            group,
            new Network(calls, defect),
            NodeAddresses.inMemory(),
            join,
            settings,
            wall(host, defect),
            clockFile(host, defect),
            SimTimers.of(host.process(), () -> (long) (host.machine().monotonicMillis() * rate)));
    return new SimNode(host, group, membership);
  }

  private static InstantSource wall(SimHost host, Defect defect) {
    Instant start = host.machine().wall().instant();
    SimMachine machine = host.machine();
    long startMillis = machine.monotonicMillis();
    if (defect.ignoresWallClock() || defect.clockRate() != 1) {
      return () ->
          start.plusMillis((long) ((machine.monotonicMillis() - startMillis) * defect.clockRate()));
    }
    return machine.wall();
  }

  private static ClockFile clockFile(SimHost host, Defect defect) {
    Object kept = host.disk().get(CLOCK_KEY);
    return ClockFile.of(
        kept == null || defect.losesClusterTime() ? 0 : (long) kept,
        millis -> {
          host.disk().put(CLOCK_KEY, millis);
          host.disk().sync(host.process(), () -> {});
        });
  }

  private record Storage(SimDisk disk) implements MetadataStorage {
    private static final String KEY = "metadata-checkpoint";

    @Override
    public byte @Nullable [] load() {
      return (byte[]) disk.get(KEY);
    }

    @Override
    public void save(byte[] checkpoint) {
      disk.put(KEY, checkpoint);
      disk.syncNow();
    }
  }

  /** Calls in virtual time. */
  private record Network(LoopbackPeers.Node calls, Defect defect) implements PeerNetwork {
    @Override
    public CompletableFuture<byte[]> call(
        NodeId node, String service, byte[] request, Duration timeout) {
      if (service.equals(LeaseExpiry.SERVICE) && defect.claimsToReachOthers()) {
        return CompletableFuture.completedFuture(new byte[] {1, 0});
      }
      return calls.call(node, service, request, timeout);
    }

    @Override
    public void serve(String service, Handler handler) {
      if (!service.equals(LeaderCalls.SERVICE)) {
        boolean claimsToServe = service.equals(LeaseExpiry.SERVICE) && defect.claimsToServe();
        calls.serve(service, claimsToServe ? Network::respondServing : handler);
        return;
      }
      calls.serve(
          service,
          (from, request) -> {
            LeaderRequest decoded = LeaderRequest.decode(request);
            UnaryOperator<byte[]> applyDefect =
                response -> defect.respond(decoded, LeaderResponse.decode(response)).encode();
            return handler.handle(from, request).thenApply(applyDefect);
          });
    }

    private static CompletableFuture<byte[]> respondServing(NodeId from, byte[] request) {
      return CompletableFuture.completedFuture(new byte[] {1, 1});
    }

    @Override
    public CompletableFuture<HelloReply> sendHello(
        NodeAddress address, Hello hello, Duration timeout) {
      return calls.sendHello(address, hello, timeout);
    }

    @Override
    public StartFence fence() {
      return calls.fence();
    }

    @Override
    public void setHelloHandler(Function<Hello, HelloReply> handler) {
      calls.setHelloHandler(handler);
    }
  }
}
