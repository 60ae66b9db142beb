package io.fjordmq.broker.admin;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.ClusterStatus.LoadLine;
import io.fjordmq.broker.ops.ClusterStatus.NodeLine;
import io.fjordmq.broker.ops.ClusterStatus.PinLine;
import io.fjordmq.broker.ops.ClusterStatus.RangeLine;
import io.fjordmq.broker.ops.ClusterStatus.ReplicaLine;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.MembershipSettings;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.PendingStep;
import io.fjordmq.range.placement.RangeLoadReport;
import io.fjordmq.range.placement.RangePin;
import io.fjordmq.range.placement.RangeReports;
import io.fjordmq.range.placement.ReplicaReport;
import io.fjordmq.range.store.ReplicaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the contents of {@code /status}: this node's copy of the metadata, and the replica
 * reports of all live nodes. Thread-safe; does not block.
 */
public final class ClusterView {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);

  /** The name of the peer service through which nodes report their replicas. */
  private static final String SERVICE = "replicas";

  private static final byte[] EMPTY_REQUEST = {};
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

  private final ClusterNode node;
  private final Stores stores;
  private final NodeNames names;
  private final MembershipSettings settings;
  private volatile Supplier<List<String>> extraNotes = List::of;

  /**
   * @param settings the settings of this node, which are those of all nodes
   */
  public ClusterView(
      ClusterNode node, Stores stores, NodeNames names, MembershipSettings settings) {
    this.node = node;
    this.stores = stores;
    this.names = names;
    this.settings = settings;
  }

  /** Starts responding to requests from other nodes. */
  public void start(PeerServices services) {
    services.serve(
        SERVICE, (from, request) -> CompletableFuture.completedFuture(report().encode()));
  }

  /**
   * Sets an additional source of operator notes. It is queried each time the status page is built.
   */
  public void setExtraNotes(Supplier<List<String>> source) {
    extraNotes = source;
  }

  /** Logs the current notes. */
  public void logNotes() {
    notes().forEach(note -> LOG.info("Cluster status: {}", note));
  }

  /**
   * The identity of the cluster.
   *
   * @param env its name, from the configuration of its first node
   */
  public record Identity(String id, String env) {}

  /** The identity of the cluster; empty until its first node has created it. */
  public Optional<Identity> identity() {
    return Optional.ofNullable(ClusterRecord.of(node.metadata().view()))
        .map(cluster -> new Identity(cluster.id(), cluster.env()));
  }

  /** The level of the cluster, as this node knows it. */
  public UpgradeProgress level() {
    return UpgradeProgress.of(node.membership().levelStatus(), settings);
  }

  /**
   * Collects the status of the cluster. The future completes within a second and omits the reports
   * of nodes that have not responded by then.
   */
  public CompletableFuture<ClusterStatus> collect() {
    Map<NodeId, RangeReports> reports = new ConcurrentHashMap<>();
    reports.put(node.self(), report());
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (NodeId other : node.membership().members().alive()) {
      if (!other.equals(node.self())) {
        calls.add(
            node.peers()
                .call(other, SERVICE, EMPTY_REQUEST, CALL_TIMEOUT)
                .handle(
                    (response, failure) ->
                        failure == null
                            ? reports.put(other, RangeReports.decode(response))
                            : null));
      }
    }
    Map<RangeId, Duration> ahead = new ConcurrentHashMap<>();
    calls.add(stores.operations().clocks().clocksAhead().thenAccept(ahead::putAll));
    List<PendingStep> pending = new CopyOnWriteArrayList<>();
    calls.add(stores.operations().pending().list().thenAccept(pending::addAll));
    return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
        .handle(
            (all, failure) -> new ClusterStatus(nodes(), ranges(reports), notes(ahead, pending)));
  }

  private List<String> notes(Map<RangeId, Duration> ahead, List<PendingStep> pending) {
    List<String> notes = notes();
    pending.forEach(step -> notes.add(line(step)));
    ahead.forEach(
        (range, by) ->
            notes.add(
                ("the clock of range %s is %d s ahead of cluster time, so delays and expiry"
                        + " intervals that begin now take that much longer; to set the clock back,"
                        + " run 'bin/standalone.sh lower-clock %s'")
                    .formatted(range, by.toSeconds(), range)));
    return notes;
  }

  private static String line(PendingStep step) {
    return "pending for %d s: range %s, %s: %s"
            .formatted(step.waiting().toSeconds(), step.range(), step.description(), step.reason())
        + (step.cancelable()
            ? "; to cancel it, run 'bin/standalone.sh cancel " + step.range() + "'"
            : "");
  }

  private RangeReports report() {
    return RangeReports.of(
        stores.ranges(), node.membership().appliedVersion(), stores.rangeLoads());
  }

  private List<NodeLine> nodes() {
    NodeId leader = node.metadata().leadership().leader();
    return node.membership().members().byNode().values().stream()
        .sorted(Comparator.comparing(member -> member.node().value()))
        .map(member -> line(member, leader))
        .toList();
  }

  private NodeLine line(Member member, @Nullable NodeId leader) {
    return new NodeLine(
        member.node().value(),
        names.of(member.node()),
        member.address().toString(),
        member.state().name().toLowerCase(Locale.ROOT),
        member.incarnation(),
        member.node().equals(node.self()),
        member.node().equals(leader));
  }

  private List<RangeLine> ranges(Map<NodeId, RangeReports> reports) {
    Map<RangeId, RangePin.Stored> pins = stores.directory().pins();
    return descriptors().stream().map(range -> line(range, reports, pins.get(range.id()))).toList();
  }

  private List<RangeDescriptor> descriptors() {
    List<RangeDescriptor> all = new ArrayList<>();
    stores.names().forEach(store -> all.addAll(stores.directory().ranges(store)));
    return all;
  }

  private static RangeLine line(
      RangeDescriptor range, Map<NodeId, RangeReports> reports, RangePin.@Nullable Stored pin) {
    Map<NodeId, ReplicaReport> replicas = new TreeMap<>(Comparator.comparing(NodeId::value));
    reports.forEach(
        (holder, report) ->
            report.replicas().stream()
                .filter(replica -> replica.range().equals(range.id()))
                .forEach(replica -> replicas.put(holder, replica)));
    @Nullable NodeId leader = null;
    long applied = 0;
    @Nullable RangeLoadReport load = null;
    ReplicaSet set = range.replicas();
    List<String> problems = new ArrayList<>();
    for (Map.Entry<NodeId, ReplicaReport> held : replicas.entrySet()) {
      ReplicaReport replica = held.getValue();
      if (replica.role() == ReplicaStatus.Role.LEADER && replica.replicas() != null) {
        leader = held.getKey();
        applied = replica.appliedIndex();
        load = replica.load();
        set = replica.replicas();
      }
      if (replica.failure() != null) {
        problems.add(held.getKey() + " is halted: " + replica.failure());
      }
    }
    return new RangeLine(
        range.id().toString(),
        leader == null ? null : leader.value(),
        lines(set.voters(), replicas, applied),
        lines(set.learners(), replicas, applied),
        range.interval().toString(),
        load == null ? null : load(load),
        pin == null ? null : line(pin.pin()),
        problems.isEmpty() ? null : String.join("; ", problems));
  }

  private static PinLine line(RangePin pin) {
    NodeId leader = pin.leader();
    return new PinLine(
        pin.voters().stream().map(NodeId::value).sorted().toList(),
        leader == null ? null : leader.value());
  }

  private static LoadLine load(RangeLoadReport load) {
    return new LoadLine(
        load.requests(),
        load.busyPermille() / 10,
        load.storageNanosPerCommand(),
        load.bytes(),
        load.decision());
  }

  private static List<ReplicaLine> lines(
      Collection<NodeId> holders, Map<NodeId, ReplicaReport> replicas, long applied) {
    return holders.stream()
        .sorted(Comparator.comparing(NodeId::value))
        .map(
            holder -> {
              ReplicaReport replica = replicas.get(holder);
              // Compares applied indexes, because a replica never applies entries that are internal
              // to Raft.
              long lag = replica == null ? -1 : Math.max(0, applied - replica.appliedIndex());
              return new ReplicaLine(holder.value(), lag);
            })
        .toList();
  }

  private boolean hasSingleVoters(String store) {
    return stores.directory().ranges(store).stream()
        .anyMatch(range -> range.replicas().voters().size() == 1);
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    identity()
        .ifPresent(cluster -> notes.add("cluster " + cluster.id() + ", env " + cluster.env()));
    List<String> single = stores.names().stream().filter(this::hasSingleVoters).toList();
    if (!single.isEmpty()) {
      notes.add(
          "ranges of "
              + String.join(", ", single)
              + " have only one voter: a range is unavailable while its voter's node is down, and"
              + " its data is lost if that node is lost");
    }
    ClusterMembership membership = node.membership();
    if (membership.isClockFarAhead()) {
      notes.add(
          ("the wall clock of this node is %d s ahead of cluster time, so delayed messages and"
                  + " expiries are late by up to that much; correct the clocks or, if they are"
                  + " right on all nodes, run 'bin/standalone.sh accept-clock'")
              .formatted(membership.clock().wallAheadMillis() / 1_000));
    }
    String upgrade = level().note();
    if (upgrade != null) {
      notes.add(upgrade);
    }
    String halted = node.metadata().failure();
    if (halted != null) {
      notes.add("this node's replica of the metadata group is halted: " + halted);
    }
    List<String> down =
        node.membership().members().byNode().values().stream()
            .filter(member -> !member.isAlive())
            .map(member -> member.node().value())
            .sorted()
            .toList();
    if (!down.isEmpty()) {
      notes.add(
          "nodes down: "
              + String.join(", ", down)
              + "; restart them, or remove each node that is permanently lost: run"
              + " 'bin/standalone.sh remove-node ID' on a running node");
    }
    String notServing = node.membership().notServingReason();
    if (notServing != null) {
      notes.add("this node is not serving clients: " + notServing);
    }
    List<String> unreachable = node.membership().unreachable().stream().map(NodeId::value).toList();
    if (!unreachable.isEmpty()) {
      notes.add(
          "this node cannot reach "
              + String.join(", ", unreachable)
              + "; the cluster has not marked any of these nodes as down, so check the network to"
              + " them");
    }
    notes.addAll(names.conflicts());
    notes.addAll(extraNotes.get());
    return notes;
  }
}
