package io.fjordmq.cluster.consensus;

import static java.util.Objects.requireNonNull;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Nodes in one JVM that talk over loopback, each with its own data directory, and one group. */
final class LoopbackCluster implements AutoCloseable {
  static final GroupId GROUP = new GroupId("inbox-1");
  private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(1);

  /** One running node. */
  record Member(NodeId id, JRaftHost host, ValuesState state, Consensus consensus) {}

  private final Path directory;
  private final ConsensusSettings settings;
  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final Map<NodeId, Member> running = new HashMap<>();

  LoopbackCluster(Path directory) {
    this.directory = directory;
    this.settings = ConsensusSettings.DEFAULT.withElectionTimeout(ELECTION_TIMEOUT);
  }

  static NodeId node(int number) {
    return new NodeId("node-" + number);
  }

  /** Starts a node; a group that it does not hold yet is created with these members. */
  Member start(NodeId id, ReplicaSet members, ValuesState state) throws Exception {
    ClusterPort port =
        new ClusterPort(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            addresses::get,
            TransportSettings.DEFAULT,
            StartFence.inMemory(id, StartStamp.NONE));
    JRaftHost host =
        JRaftHost.open(id, directory.resolve(id.value()), settings, ConsensusObserver.NONE, port);
    addresses.put(id, requireNonNull(host.boundAddress()));
    host.create(GROUP, members);
    Member member = new Member(id, host, state, host.open(GROUP, state));
    running.put(id, member);
    return member;
  }

  void startVoters(int count) throws Exception {
    NodeId[] ids =
        Stream.iterate(1, i -> i + 1)
            .limit(count)
            .map(LoopbackCluster::node)
            .toArray(NodeId[]::new);
    for (NodeId id : ids) {
      start(id, ReplicaSet.ofVoters(ids), new ValuesState());
    }
  }

  void stop(NodeId id) {
    Member member = requireNonNull(running.remove(id));
    member.host().close();
    addresses.remove(id);
  }

  Member leader() {
    Await.until("one node leads", () -> leading().isPresent());
    return leading().orElseThrow();
  }

  private Optional<Member> leading() {
    return members().stream().filter(m -> m.consensus().leadership().leading()).findAny();
  }

  List<Member> members() {
    return List.copyOf(running.values());
  }

  List<Member> followers() {
    NodeId leader = leader().id();
    return members().stream().filter(m -> !m.id().equals(leader)).toList();
  }

  /** Proposes at whoever leads until it is applied there. */
  long write(String value) throws Exception {
    while (true) {
      Member leader = leader();
      Probe probe = new Probe();
      leader
          .consensus()
          .propose(
              leader.consensus().leadership().term(),
              value.getBytes(StandardCharsets.UTF_8),
              probe);
      try {
        return probe.outcome.get(20, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof ConsensusException cause
            && cause.kind() == ConsensusException.Kind.OUTCOME_UNKNOWN) {
          throw e;
        }
      }
    }
  }

  void awaitEverywhere(List<String> values) {
    for (Member member : members()) {
      Await.until(member.id() + " has " + values, () -> member.state().values().equals(values));
    }
  }

  @Override
  public void close() {
    running.values().forEach(member -> member.host().close());
  }
}
