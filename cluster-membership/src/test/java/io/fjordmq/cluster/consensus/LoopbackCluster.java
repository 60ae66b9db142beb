package io.fjordmq.cluster.consensus;

import static java.util.Objects.requireNonNull;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.testing.Await;
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

/**
 * Nodes in one JVM that communicate over loopback. Each has its own data directory and a replica of
 * one group.
 */
public final class LoopbackCluster implements AutoCloseable {
  public static final GroupId GROUP = new GroupId("inbox-1");
  private static final Duration ELECTION_TIMEOUT = Duration.ofMillis(400);

  /** A running node. */
  public record Member(NodeId id, JRaftHost host, ValuesState state, Consensus consensus) {}

  /** The steps of snapshots that have succeeded, with their bytes. */
  public final Map<ConsensusObserver.SnapshotStep, Long> snapshotBytes = new ConcurrentHashMap<>();

  private final ConsensusObserver observer =
      new ConsensusObserver() {
        @Override
        public void onSnapshot(GroupId group, SnapshotStep step, long bytes, long nanos) {
          if (group.equals(GROUP) && nanos > 0) {
            snapshotBytes.merge(step, bytes, Long::sum);
          }
        }
      };

  private final Path directory;
  private final ConsensusSettings settings;
  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final Map<NodeId, Member> runningMembers = new HashMap<>();

  public LoopbackCluster(Path directory) {
    this.directory = directory;
    this.settings = ConsensusSettings.DEFAULT.withElectionTimeout(ELECTION_TIMEOUT);
  }

  public static NodeId node(int number) {
    return new NodeId("node-" + number);
  }

  /** Starts a node; if it has no replica of the group, creates one with these members. */
  public Member start(NodeId id, ReplicaSet members, ValuesState state) throws Exception {
    RaftPortConfig port =
        new RaftPortConfig(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            addresses::get,
            TransportSettings.DEFAULT,
            StartFence.inMemory(id, StartStamp.NONE));
    JRaftHost host = JRaftHost.open(id, directory.resolve(id.value()), settings, observer, port);
    addresses.put(id, requireNonNull(host.boundAddress()));
    host.create(GROUP, members);
    Member member = new Member(id, host, state, host.open(GROUP, state));
    runningMembers.put(id, member);
    return member;
  }

  public void startVoters(int count) throws Exception {
    NodeId[] ids =
        Stream.iterate(1, i -> i + 1)
            .limit(count)
            .map(LoopbackCluster::node)
            .toArray(NodeId[]::new);
    for (NodeId id : ids) {
      start(id, ReplicaSet.ofVoters(ids), new ValuesState());
    }
  }

  public void stop(NodeId id) {
    Member member = requireNonNull(runningMembers.remove(id));
    member.host().close();
    addresses.remove(id);
  }

  public Member leader() {
    Await.until("one node leads", () -> leading().isPresent());
    return leading().orElseThrow();
  }

  private Optional<Member> leading() {
    return members().stream().filter(m -> m.consensus().leadership().leading()).findAny();
  }

  public List<Member> members() {
    return List.copyOf(runningMembers.values());
  }

  public List<Member> followers() {
    NodeId leader = leader().id();
    return members().stream().filter(m -> !m.id().equals(leader)).toList();
  }

  /**
   * Proposes to the current leader until the value is applied there. No value may be written twice:
   * if leadership changes, only the state of the next leader tells whether the value is committed.
   *
   * @return the index of its entry, or of a later one if leadership has changed
   */
  public long write(String value) throws Exception {
    while (true) {
      Member leader = leader();
      ProbeProposal probe = new ProbeProposal();
      leader
          .consensus()
          .propose(
              leader.consensus().leadership().term(),
              value.getBytes(StandardCharsets.UTF_8),
              probe);
      try {
        return probe.outcome.get(20, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (kind(e) == ConsensusException.Kind.OUTCOME_UNKNOWN) {
          long committed = readIndexOfLeader();
          if (leader().state().values().contains(value)) {
            return committed;
          }
        }
      }
    }
  }

  /** Waits until the current leader has applied everything that earlier leaders committed. */
  private long readIndexOfLeader() throws Exception {
    while (true) {
      try {
        return leader().consensus().readIndex().get(20, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        kind(e); // leadership has changed again
      }
    }
  }

  /** Changes the members of the group, again if leadership changes meanwhile. */
  public void changeReplicas(ReplicaSet target) throws Exception {
    while (true) {
      try {
        leader().consensus().changeReplicas(target).get(20, TimeUnit.SECONDS);
        return;
      } catch (ExecutionException e) {
        if (kind(e) != ConsensusException.Kind.NOT_LEADER) {
          throw e;
        }
      }
    }
  }

  /**
   * Reads at a node. It refuses reads while it does not know the leader: a majority can elect one
   * and commit entries before the others hear of it.
   */
  public static long readIndex(Member member) throws Exception {
    Consensus replica = member.consensus();
    while (true) {
      Await.until(member.id() + " knows the leader", () -> replica.leadership().leader() != null);
      try {
        return replica.readIndex().get(20, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof ConsensusException cause)
            || cause.kind() != ConsensusException.Kind.NOT_LEADER) {
          throw e;
        }
      }
    }
  }

  private static ConsensusException.Kind kind(ExecutionException failure)
      throws ExecutionException {
    if (failure.getCause() instanceof ConsensusException cause) {
      return cause.kind();
    }
    throw failure;
  }

  public void awaitEverywhere(List<String> values) {
    for (Member member : members()) {
      Await.until(member.id() + " has " + values, () -> member.state().values().equals(values));
    }
  }

  @Override
  public void close() {
    runningMembers.values().forEach(member -> member.host().close());
  }
}
