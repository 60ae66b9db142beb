package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.NodeImpl;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.LogLatency;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.log.GroupLog;
import io.fjordmq.cluster.consensus.log.GroupRecord;
import io.fjordmq.cluster.consensus.log.GroupVote;
import io.fjordmq.cluster.consensus.log.LogKeys;
import io.fjordmq.cluster.consensus.log.PeerNames;
import io.fjordmq.cluster.consensus.log.SharedLog;
import io.fjordmq.cluster.consensus.log.StoredGroup;
import io.fjordmq.cluster.consensus.transport.RaftTransport;
import io.fjordmq.cluster.consensus.transport.SnapshotExchange;
import io.fjordmq.cluster.consensus.transport.SnapshotExports;
import io.fjordmq.cluster.consensus.transport.SnapshotSpace;
import io.fjordmq.common.MalformedBytesException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hosts the Raft groups of one node on sofa-jraft: one log database, one transport, shared timers.
 *
 * <p>jraft keeps its nodes in a static table by group and node id, so one JVM cannot open two hosts
 * with the same node id at the same time.
 */
public final class JRaftHost implements ConsensusHost {
  private static final Logger LOG = LoggerFactory.getLogger(JRaftHost.class);

  private final NodeId self;
  private final ConsensusSettings settings;
  private final ConsensusObserver observer;
  private final NodeShutdowns shutdowns;
  private final SharedLog log;
  private final @Nullable RaftTransport transport;
  private final SnapshotExchange exchange;
  private final Map<GroupId, JRaftConsensus> open = new HashMap<>();
  private final Set<GroupId> standAloneGroups = new HashSet<>();
  private boolean closed;

  /**
   * Opens the host of a single node, without a port and without transport threads.
   *
   * @see #open(NodeId, Path, ConsensusSettings, ConsensusObserver, RaftPortConfig)
   */
  public static JRaftHost open(
      NodeId self, Path directory, ConsensusSettings settings, ConsensusObserver observer) {
    return openWith(self, directory, settings, observer, null);
  }

  /**
   * Opens the host in the directory and creates the log database if it does not exist.
   *
   * @throws IllegalArgumentException if the largest entry does not fit into a frame
   * @throws ConsensusException ({@code FAILED}) if the log database is in use or unreadable, or the
   *     cluster port cannot be opened; the message tells the operator what to do
   */
  public static JRaftHost open(
      NodeId self,
      Path directory,
      ConsensusSettings settings,
      ConsensusObserver observer,
      RaftPortConfig port) {
    return openWith(self, directory, settings, observer, port);
  }

  /**
   * Announces this node's incremented start counter to other nodes: {@link
   * StartFence#incrementCounter}.
   */
  public void announceStart() {
    if (transport != null) {
      transport.announceStart();
    }
  }

  private static JRaftHost openWith(
      NodeId self,
      Path directory,
      ConsensusSettings settings,
      ConsensusObserver observer,
      @Nullable RaftPortConfig port) {
    if (port != null
        && port.settings().maxFrameBytes()
            < settings.maxEntryBytes() + GroupNodeOptions.MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "maxFrameBytes must be at least maxEntryBytes + %d (%d), not %d"
              .formatted(
                  GroupNodeOptions.MAX_BODY_BYTES,
                  settings.maxEntryBytes() + GroupNodeOptions.MAX_BODY_BYTES,
                  port.settings().maxFrameBytes()));
    }
    SharedLog log = SharedLog.open(directory, settings.log());
    RaftTransport transport = null;
    try {
      TransportSettings transportSettings =
          port == null ? TransportSettings.DEFAULT : port.settings();
      SnapshotExports exports =
          new SnapshotExports(
              transportSettings.snapshotTimeout(),
              System::nanoTime,
              new SecureRandom().nextLong() >>> 2); // far from overflow
      transport = port == null ? null : new RaftTransport(self, port, exports, observer);
      SnapshotExchange exchange =
          new SnapshotExchange(
              self,
              directory.resolve("outgoing"),
              directory.resolve("incoming"),
              exports,
              new SnapshotSpace(transportSettings.snapshotReserveBytes(), System::nanoTime),
              transport);
      exchange.deleteStale(log.interruptedInstalls());
      return new JRaftHost(self, log, transport, exchange, settings, observer);
    } catch (ConsensusException e) {
      log.close();
      throw e;
    } catch (IOException | RocksDBException | MalformedBytesException e) {
      if (transport != null) {
        transport.close();
      }
      log.close();
      throw failed("cannot open the Raft directory " + directory, e);
    }
  }

  private JRaftHost(
      NodeId self,
      SharedLog log,
      @Nullable RaftTransport transport,
      SnapshotExchange exchange,
      ConsensusSettings settings,
      ConsensusObserver observer) {
    this.self = self;
    this.log = log;
    this.transport = transport;
    this.exchange = exchange;
    this.settings = settings;
    this.observer = observer;
    this.shutdowns = new NodeShutdowns(settings.closeTimeout());
    NodeManager.getInstance().addAddress(PeerNames.endpoint(self));
  }

  /**
   * Makes this node the only voter of every group that it currently holds; takes effect when the
   * group is next opened. Use this only if all peers are permanently lost. Entries that only they
   * held are lost. If a peer is still running, both sides continue independently and diverge.
   */
  public void becomeSoleVoter() {
    becomeSoleVoter(groups());
  }

  /** Like {@link #becomeSoleVoter()}, for some of the groups that this node holds. */
  public synchronized void becomeSoleVoter(Set<GroupId> groups) {
    standAloneGroups.addAll(groups);
  }

  /**
   * Returns what the log holds of a group, as of before it was opened; null if this node has no
   * replica.
   */
  public synchronized @Nullable StoredGroup stored(GroupId group) {
    try {
      requireOpen();
      return StoredGroup.read(log, group);
    } catch (RocksDBException | MalformedBytesException e) {
      throw failed("cannot read the log of group " + group, e);
    }
  }

  /**
   * Returns the address that other nodes connect to; null if the host was opened without a port.
   */
  public @Nullable InetSocketAddress boundAddress() {
    return transport == null ? null : transport.boundAddress();
  }

  @Override
  public synchronized Set<GroupId> groups() {
    try {
      requireOpen();
      return Set.copyOf(log.groups());
    } catch (ConsensusException | RocksDBException e) {
      throw new IllegalStateException("cannot list the Raft groups of node " + self, e);
    }
  }

  @Override
  public synchronized void create(GroupId group, ReplicaSet members) {
    requireOpen();
    try {
      log.create(group, members);
    } catch (RocksDBException e) {
      throw failed("cannot create group " + group, e);
    }
  }

  @Override
  public synchronized void create(GroupId group, ReplicaSet members, long appliedIndex) {
    requireOpen();
    try {
      log.create(group, members, CheckpointRecord.first(appliedIndex, members));
    } catch (RocksDBException e) {
      throw failed("cannot create group " + group, e);
    }
  }

  @Override
  public synchronized boolean isInstalling(GroupId group) {
    try {
      requireOpen();
      GroupRecord record = log.group(group);
      return record != null && log.getRaft(LogKeys.install(record.number())) != null;
    } catch (ConsensusException | RocksDBException e) {
      throw new IllegalStateException("cannot read the install record of group " + group, e);
    }
  }

  @Override
  public synchronized Consensus open(GroupId group, ReplicatedState state) {
    requireOpen();
    if (open.containsKey(group)) {
      throw new ConsensusException(Kind.FAILED, "group " + group + " is already open");
    }
    shutdowns.requireEnded(group);
    try {
      GroupRecord record = log.group(group);
      if (record == null) {
        throw new ConsensusException(
            Kind.FAILED, "this node holds no replica of group " + group + "; create it first");
      }
      JRaftConsensus consensus = start(group, record, state);
      open.put(group, consensus);
      return consensus;
    } catch (IOException | RocksDBException | MalformedBytesException e) {
      throw failed("cannot read the log of group " + group, e);
    }
  }

  private JRaftConsensus start(GroupId group, GroupRecord record, ReplicatedState state)
      throws IOException, RocksDBException {
    boolean onlyVoter = standAloneGroups.contains(group);
    GroupSnapshots snapshots = new GroupSnapshots(group, record, log, state, exchange, observer);
    long applied = snapshots.resumeInstall(state.appliedIndex());
    new ReplicaCheck(group, record, log, self)
        .requireMatch(applied, snapshots.checkpoint(), onlyVoter);
    GroupVote vote = new GroupVote(group, log.hardState(record.number()));
    GroupServices services =
        new GroupServices(new GroupLog(group, record, log, vote, observer), vote, snapshots);
    NodeImpl node = new NodeImpl(group.value(), PeerNames.peer(self));
    JRaftStateMachine machine =
        new JRaftStateMachine(group, self, state, snapshots, applied, observer, node::onError);
    FollowerProgress progress = new FollowerProgress();
    GroupNodeOptions options =
        new GroupNodeOptions(record.members(), services, machine, settings, transport, progress);
    if (!node.init(options)) {
      shutdowns.shutDown(group, node);
      throw new ConsensusException(
          Kind.FAILED,
          "cannot start group " + group + " from its Raft log; see the broker log for the cause");
    }
    if (onlyVoter) {
      resetVoters(group, node);
      standAloneGroups.remove(group);
    }
    return new JRaftConsensus(
        group,
        node,
        services,
        machine,
        progress,
        settings,
        observer,
        shutdowns,
        () -> onClosed(group));
  }

  /**
   * Makes this replica the only voter. The change takes effect once the replica leads, because its
   * first entry as leader contains the new voters.
   */
  private void resetVoters(GroupId group, NodeImpl node) {
    ReplicaSet before = PeerNames.replicas(node.getCurrentConf());
    Status reset = node.resetPeers(PeerNames.configuration(ReplicaSet.ofVoters(self)));
    if (!reset.isOk()) {
      shutdowns.shutDown(group, node);
      throw new ConsensusException(
          Kind.FAILED,
          "cannot make this node the only voter of group " + group + ": " + reset.getErrorMsg());
    }
    LOG.warn("Making this node the only voter group={} previous={}", group, before);
  }

  @Override
  public @Nullable String failure() {
    return log.failure();
  }

  /** Checks whether a log that rejected writes has recovered. Must be called periodically. */
  public void retryWrites() {
    log.retryWrites();
  }

  /** Returns the latency of the log's writes since the previous call. Does not block. */
  public LogLatency logLatency() {
    return log.latency();
  }

  /**
   * While enabled, this node sends no requests as leader or candidate, so that other nodes elect a
   * leader; it still responds to requests. Intended for a node whose log writes are stuck. Its
   * threads may be stuck as well, so that it can neither transfer leadership nor step down,
   * although it would still send heartbeats. Does not block.
   */
  public void suppressLeaderRequests(boolean suppress) {
    if (transport != null) {
      transport.suppressLeaderRequests(suppress);
    }
  }

  private synchronized void onClosed(GroupId group) {
    open.remove(group);
  }

  @Override
  public synchronized void destroy(GroupId group) {
    requireOpen();
    if (open.containsKey(group)) {
      throw new ConsensusException(
          Kind.FAILED, "cannot destroy an open replica: close group " + group + " first");
    }
    shutdowns.requireEnded(group);
    try {
      log.destroy(group);
    } catch (RocksDBException e) {
      throw failed("cannot destroy group " + group, e);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new ConsensusException(Kind.CLOSED, "the Raft host of node " + self + " is closed");
    }
  }

  private static ConsensusException failed(String what, Exception cause) {
    return new ConsensusException(Kind.FAILED, what + ": " + cause.getMessage(), cause);
  }

  @Override
  public void close() {
    List<JRaftConsensus> groups;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      groups = List.copyOf(open.values());
    }
    groups.forEach(JRaftConsensus::close);
    if (transport != null) {
      transport.close();
    }
    NodeManager.getInstance().removeAddress(PeerNames.endpoint(self));
    log.close();
    LOG.info("Raft log closed node={} openGroups={}", self, groups.size());
  }
}
