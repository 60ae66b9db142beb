package io.fjordmq.broker.disk;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.config.DiskConfig;
import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.retain.RetainReplicas;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The disk of the data directory: {@link DiskWatch} measures its free space, {@link
 * DiskHealthMonitor} reports problems to the cluster, and {@link DiskCapacity} decides whether the
 * node accepts messages that must be stored. Thread-safe.
 */
public final class NodeDisk implements AutoCloseable {
  private static final int CHECKS_PER_SLOW_WRITE = 4;
  private static final String OTHERS_FULL =
      "the disks of other nodes are full, so no majority has space for messages that must be"
          + " stored; 'bin/standalone.sh status' shows which nodes are full";

  private final Kv kv;
  private final ClusterNode node;
  private final DiskWatch watch;
  private final DiskHealthMonitor healthMonitor;
  private final DiskCapacity diskCapacity;

  /** The result of the latest check. */
  private volatile boolean canStoreMessages = true;

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();

  /** Checks the disk once, then periodically. */
  public static NodeDisk watch(
      Path data, Kv kv, ClusterNode node, Stores stores, DiskConfig settings) throws IOException {
    NodeDisk disk = new NodeDisk(data, kv, node, stores, settings);
    disk.refresh();
    PeriodicTasks spaceChecks =
        disk.shutdownSequence.add("disk watch", new PeriodicTasks("disk-watch"));
    spaceChecks.every(settings.checkInterval(), "disk space", disk::refresh);
    // On a separate thread, because the space check may block on the disk.
    PeriodicTasks latencyChecks =
        disk.shutdownSequence.add("disk health", new PeriodicTasks("disk-health"));
    Duration pause = settings.slowAfter().dividedBy(CHECKS_PER_SLOW_WRITE);
    latencyChecks.every(pause, "disk latency", disk::checkHealth);
    return disk;
  }

  private NodeDisk(Path data, Kv kv, ClusterNode node, Stores stores, DiskConfig settings)
      throws IOException {
    this.kv = kv;
    this.node = node;
    this.watch =
        new DiskWatch(
            data,
            new FileSystemSpace(Files.getFileStore(data)),
            settings.minFreeBytes(),
            List.of(kv::retryWrites, node.host()::retryWrites));
    this.healthMonitor =
        new DiskHealthMonitor(
            new DiskHealthMonitor.DiskState(
                watch::hasFreeSpace, this::failure, node.host()::logLatency),
            new ClusterAdapter(node),
            settings.slowAfter().toMillis());
    this.diskCapacity =
        new DiskCapacity(
            node.self(),
            watch::hasFreeSpace,
            node.membership()::members,
            () -> messageRanges(stores));
  }

  private static Collection<RangeDescriptor> messageRanges(Stores stores) {
    return Stream.of(InboxReplicas.STORE, RetainReplicas.STORE)
        .flatMap(store -> stores.directory().ranges(store).stream())
        .toList();
  }

  private void refresh() {
    watch.measure();
    checkCapacity();
  }

  private void checkCapacity() {
    canStoreMessages = diskCapacity.isEnough();
  }

  private void checkHealth() {
    checkCapacity();
    healthMonitor.check(System.nanoTime() / 1_000_000);
  }

  private @Nullable String failure() {
    String state = stateFailure();
    return state == null ? node.host().failure() : state;
  }

  /** The reason why the state database rejects writes; null if it accepts them. */
  public @Nullable String stateFailure() {
    KvException failure = kv.failure();
    return failure == null ? null : String.valueOf(failure.getMessage());
  }

  /** Applies a new {@code diskConfig.minFreeBytes} from the next measurement on. */
  public void setMinFreeBytes(long bytes) {
    watch.setMinFreeBytes(bytes);
  }

  /** Whether the node accepts messages that must be stored. */
  public boolean canStoreMessages() {
    return canStoreMessages;
  }

  /** Whether this node has less free space than {@code diskConfig.minFreeBytes}. */
  public boolean isLow() {
    return !watch.hasFreeSpace();
  }

  public long freeBytes() {
    return watch.freeBytes();
  }

  /** The size of the file system in bytes. */
  public long totalBytes() {
    return watch.totalBytes();
  }

  /** A description of the shortage of free space for the operator; null if there is none. */
  public @Nullable String shortage() {
    return watch.shortage();
  }

  /**
   * The reasons why this node is not ready because of its disk; empty if the other nodes compensate
   * for the problem.
   */
  public Stream<String> notReadyReasons() {
    return Stream.of(
            canStoreMessages ? null : Objects.requireNonNullElse(watch.shortage(), OTHERS_FULL),
            stateFailure(),
            node.host().failure())
        .filter(Objects::nonNull);
  }

  /** Problems with this disk, for the operator. */
  public List<String> notes() {
    return Stream.of(watch.shortage(), healthMonitor.problem())
        .filter(Objects::nonNull)
        .map(note -> "this node's disk: " + note)
        .toList();
  }

  @Override
  public void close() {
    shutdownSequence.close();
  }

  private record FileSystemSpace(FileStore store) implements DiskWatch.FreeSpace {
    @Override
    public long bytes() throws IOException {
      return store.getUsableSpace();
    }

    @Override
    public long totalBytes() throws IOException {
      return store.getTotalSpace();
    }
  }

  private record ClusterAdapter(ClusterNode node) implements DiskHealthMonitor.Cluster {
    private ClusterMembership membership() {
      return node.membership();
    }

    @Override
    public Member.@Nullable State state() {
      Members members = membership().members();
      Member me = members.find(node.self());
      return me == null || members.byNode().size() < 2 ? null : me.state();
    }

    @Override
    public CompletableFuture<Void> report(Member.State disk) {
      return membership().reportDiskState(disk);
    }

    @Override
    public void suppressLeaderRequests(boolean suppress) {
      node.host().suppressLeaderRequests(suppress);
    }

    @Override
    public void suspend(String reason) {
      node.suspensions().suspend("disk", reason);
    }

    @Override
    public void resume() {
      node.suspensions().resume("disk");
    }
  }
}
