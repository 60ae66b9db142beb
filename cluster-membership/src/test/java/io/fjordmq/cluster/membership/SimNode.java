package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimDisk;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimMachine;
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

  /** What may be wrong with a node. */
  interface Defect {
    /** How fast its clock goes. */
    default double clockRate() {
      return 1;
    }

    /** Whether it says that it serves clients whether or not it does. */
    default boolean claimsToServe() {
      return false;
    }

    /** Whether it says that it reaches all others whether or not it does. */
    default boolean claimsToReachOthers() {
      return false;
    }

    /** Whether its wall clock stands still with the machine, as if nobody had looked at it. */
    default boolean ignoresWallClock() {
      return false;
    }

    /** What it answers to a request for the leader of the metadata instead of the right answer. */
    default LeaderAnswer answer(LeaderRequest request, LeaderAnswer right) {
      return right;
    }

    /** Whether it says at once that it is ready, though it is not. */
    default boolean isHasty() {
      return false;
    }
  }

  static final Defect NONE = new Defect() {};

  /**
   * Starts the node on what its disk holds.
   *
   * @param members who holds the metadata, if it has no replica yet
   * @param seeds whom it says hello to while it is cut off
   */
  static SimNode start(
      SimHost host, LoopbackPeers peers, ReplicaSet members, List<NodeId> seeds, Defect defect)
      throws ConsensusException, IOException {
    LoopbackPeers.Node calls = peers.start(host.node(), host.process());
    JoinSettings join =
        JoinSettings.of(false, address(host.node()), seeds.stream().map(SimNode::address).toList());
    return start(host, calls, members, join, MembershipSettings.DEFAULT, defect);
  }

  private static NodeAddress address(NodeId node) {
    return new NodeAddress(node.value(), 1);
  }

  /**
   * Starts the node on what its disk holds, with others' calls to its other services on the same
   * way.
   *
   * @param members who holds the metadata, if it has no replica yet
   * @param address what it says where it is; calls find it by its name all the same
   * @param clockRate how fast its clock goes: 1, unless something is wrong with it
   * @param claimsToServe whether it says to others that it serves clients when it does not
   */
  public static SimNode start(
      SimHost host,
      LoopbackPeers.Node calls,
      ReplicaSet members,
      NodeAddress address,
      MembershipSettings settings,
      double clockRate,
      boolean claimsToServe)
      throws ConsensusException, IOException {
    Defect odd =
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
    JoinSettings join = JoinSettings.of(false, address, List.of());
    return start(host, calls, members, join, settings, odd);
  }

  private static SimNode start(
      SimHost host,
      LoopbackPeers.Node calls,
      ReplicaSet members,
      JoinSettings join,
      MembershipSettings settings,
      Defect defect)
      throws ConsensusException, IOException {
    MetadataGroup.bootstrap(host, members);
    Storage storage = new Storage(host.disk());
    MetadataGroup group = MetadataGroup.open(host, storage, METADATA, host.process());
    ClusterMembership membership =
        ClusterMembership.start(
            new NodeIdentity(host.node(), "simulated"),
            group,
            new Network(calls, defect),
            NodeAddresses.inMemory(),
            join,
            settings,
            wall(host, defect),
            clockFile(host),
            new Timers(host, defect.clockRate()));
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

  private static ClockFile clockFile(SimHost host) {
    Object kept = host.disk().get(CLOCK_KEY);
    return ClockFile.of(
        kept == null ? 0 : (long) kept, millis -> host.disk().put(CLOCK_KEY, millis));
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

  private record Timers(SimHost host, double rate) implements SerialTimers {
    @Override
    public long nowMillis() {
      return (long) (host.machine().monotonicMillis() * rate);
    }

    @Override
    public void schedule(long delayMillis, Runnable task) {
      host.process().schedule(delayMillis, task);
    }

    @Override
    public void execute(Runnable task) {
      host.process().execute(task);
    }
  }

  /** Calls in virtual time. */
  private record Network(LoopbackPeers.Node calls, Defect defect) implements PeerNetwork {
    @Override
    public CompletableFuture<byte[]> ask(
        NodeId node, String service, byte[] request, Duration timeout) {
      if (service.equals(LeaseExpiry.SERVICE) && defect.claimsToReachOthers()) {
        return CompletableFuture.completedFuture(new byte[] {1, 0});
      }
      return calls.ask(node, service, request, timeout);
    }

    @Override
    public void serve(String service, Handler handler) {
      if (!service.equals(LeaderCalls.SERVICE)) {
        boolean lies = service.equals(LeaseExpiry.SERVICE) && defect.claimsToServe();
        calls.serve(service, lies ? Network::yes : handler);
        return;
      }
      calls.serve(
          service,
          (from, request) -> {
            LeaderRequest asked = LeaderRequest.decode(request);
            UnaryOperator<byte[]> spoil =
                answer -> defect.answer(asked, LeaderAnswer.decode(answer)).encode();
            return handler.handle(from, request).thenApply(spoil);
          });
    }

    private static CompletableFuture<byte[]> yes(NodeId from, byte[] question) {
      return CompletableFuture.completedFuture(new byte[] {1, 1});
    }

    @Override
    public CompletableFuture<HelloReply> greet(NodeAddress address, Hello hello, Duration timeout) {
      return calls.greet(address, hello, timeout);
    }

    @Override
    public StartFence fence() {
      return calls.fence();
    }

    @Override
    public void answerHellosWith(Function<Hello, HelloReply> answer) {
      calls.answerHellosWith(answer);
    }
  }
}
