package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas on this node's disks: groups in the log database, rows in the state database.
 * Blocks; used by one thread at a time.
 */
final class StoredReplicas {
  /*
   * The order of writes makes crashes recoverable. Rows are written only after their group, and are
   * durable before the replica is opened: a group without rows never took part in anything. Before
   * a replica is removed, it gets a durable marker. Its log is removed before its rows; if a crash
   * interrupts the removal, the next start completes it for every replica with a marker. The marker
   * stays, because a replica that came back empty would vote without the log that it had, and others
   * might still request its vote: there must be no new one before all replicas know about the
   * removal.
   */
  private static final Logger LOG = LoggerFactory.getLogger(StoredReplicas.class);
  private static final byte[] BEING_REMOVED = {1};
  private static final byte[] RETIRED = {2};

  private final ConsensusHost host;
  private final Kv kv;
  private final Path installDirectory;
  private final StoredDescriptors descriptors;

  /**
   * @param published see {@link StoredDescriptors}
   */
  StoredReplicas(
      ConsensusHost host,
      Kv kv,
      Path installDirectory,
      Function<RangeId, Optional<RangeDescriptor>> published) {
    this.host = host;
    this.kv = kv;
    this.installDirectory = installDirectory;
    this.descriptors = new StoredDescriptors(kv, published);
  }

  /**
   * Returns all replicas of a store, after completing removals and merges that a crash interrupted.
   */
  List<RangeDescriptor> load(String store) throws IOException {
    List<RangeDescriptor> found = new ArrayList<>();
    for (RangeDescriptor range : descriptors.load(store)) {
      if (!finishRemoval(range.id())) {
        found.add(range);
      }
    }
    for (long number : RangeKeys.absorbed(space(store).latest())) {
      finishAbsorption(new RangeId(store, number));
    }
    return found;
  }

  /** Creates a replica of a new range; {@link #flush} makes it durable. */
  void createFirst(RangeDescriptor range) throws IOException {
    try {
      host.create(range.group(), range.replicas(), RangeState.INITIAL_LOG_INDEX);
    } catch (ConsensusException e) {
      throw new IOException("cannot create the group of range " + range.id(), e);
    }
    KvBatch batch = new KvBatch();
    RangeState.create(range, RangeState.INITIAL_LOG_INDEX, 0, batch);
    write(range.id(), batch);
    LOG.info("Range created range={} keys={}", range.id(), range.interval());
  }

  /** Creates an empty replica of an existing range; {@link #flush} makes it durable. */
  void createEmpty(RangeDescriptor range) throws IOException {
    try {
      host.create(range.group(), range.replicas());
    } catch (ConsensusException e) {
      throw new IOException(
          "cannot create the group of range " + range.id() + ": " + e.getMessage(), e);
    }
    KvBatch batch = new KvBatch();
    RangeState.create(range, batch);
    write(range.id(), batch);
    LOG.info("Replica created range={} keys={}", range.id(), range.interval());
  }

  /** Returns the ranges of a store whose replica was removed from this node. */
  List<RangeId> retired(String store) {
    List<RangeId> found = new ArrayList<>();
    for (long number : RangeKeys.removed(space(store).latest())) {
      if (removalState(new RangeId(store, number)) == RemovalState.RETIRED) {
        found.add(new RangeId(store, number));
      }
    }
    return found;
  }

  /** Allows the range to have a replica on this node again. */
  void forget(RangeId id) throws IOException {
    if (removalState(id) == RemovalState.RETIRED) {
      KvBatch batch = new KvBatch();
      batch.delete(new RangeKeys(id.number()).removing());
      write(id, batch);
    }
  }

  /**
   * Removes the remnants of a range after a crash, so that the range can be created.
   *
   * @throws IllegalStateException if the range must not have a replica on this node
   */
  void removeRemnants(RangeDescriptor range) throws IOException {
    finishRemoval(range.id());
    if (isAbsorbed(range.id())) {
      throw new IllegalStateException("range " + range.id() + " was merged into another one");
    } else if (removalState(range.id()) == RemovalState.RETIRED) {
      throw new IllegalStateException(
          "cannot create a replica of range "
              + range.id()
              + ": other replicas may still rely on the replica removed from this node;"
              + " retry once every node in the cluster is live and has forgotten the removed replica");
    }
    if (find(range.id()) == null && host.groups().contains(range.group())) {
      destroyGroup(range.group());
    }
  }

  private enum RemovalState {
    NONE,
    BEING_REMOVED,
    RETIRED
  }

  private RemovalState removalState(RangeId id) {
    byte[] row = space(id.store()).latest().get(new RangeKeys(id.number()).removing());
    if (row == null) {
      return RemovalState.NONE;
    }
    return Arrays.equals(row, RETIRED) ? RemovalState.RETIRED : RemovalState.BEING_REMOVED;
  }

  /** Makes everything written so far durable. */
  void flush() throws IOException {
    try {
      kv.flush().join();
    } catch (CompletionException e) {
      throw new IOException("cannot make the rows of replicas durable", e.getCause());
    }
  }

  /**
   * Marks the replica, so that it will be removed even after a crash. The marker is durable when
   * this method returns.
   */
  void beginRemoval(RangeId id) throws IOException {
    KvBatch batch = new KvBatch();
    batch.put(new RangeKeys(id.number()).removing(), BEING_REMOVED);
    write(id, batch);
    flush();
  }

  /**
   * Removes the log and the rows of a replica that is closed and marked.
   *
   * @return whether the replica was marked for removal; if so, it is retired now
   */
  boolean finishRemoval(RangeId id) throws IOException {
    RangeKeys keys = new RangeKeys(id.number());
    RangeDescriptor range = find(id);
    if (range == null || removalState(id) != RemovalState.BEING_REMOVED) {
      return false;
    }
    destroyGroup(range.group());
    KeyInterval interval = range.interval();
    KvBatch batch = new KvBatch();
    for (long absorbed : AbsorbedRange.absorbedNumbers(keys, space(id.store()).latest())) {
      new AbsorbedRange(absorbed).clear(batch);
    }
    batch.deleteRange(RangeKeys.data(interval.start()), RangeKeys.dataEnd(interval.end()));
    batch.deleteRange(keys.first(), keys.end());
    batch.put(keys.removing(), RETIRED);
    write(id, batch);
    Files.deleteIfExists(SnapshotInstaller.keptFile(installDirectory, id));
    LOG.info("Replica removed range={} keys={}", id, interval);
    return true;
  }

  /** Returns whether the range was merged into another one on this node. */
  boolean isAbsorbed(RangeId id) {
    return space(id.store()).latest().get(new RangeKeys(id.number()).absorbed()) != null;
  }

  /**
   * See {@link AbsorbedRange#responseTo}; also null if the rows cannot be read, or have an unknown
   * format.
   */
  @Nullable RangeResult responseOfAbsorbed(RangeId id, byte @Nullable [] entry) {
    try {
      return new AbsorbedRange(id.number()).responseTo(entry, space(id.store()).latest());
    } catch (KvException | MalformedBytesException e) {
      LOG.debug("Cannot read the remaining rows of a merged range range={}", id, e);
      return null; // the client tries other nodes
    }
  }

  /**
   * Removes the log of a range that was merged into another one, and what its replica may have
   * written since. Must be called when the merge is durable and the replica is closed.
   */
  void finishAbsorption(RangeId id) throws IOException {
    GroupId group = new GroupId(id.toString());
    if (isAbsorbed(id) && host.groups().contains(group)) {
      KvBatch batch = new KvBatch();
      batch.delete(new RangeKeys(id.number()).progress());
      write(id, batch);
      destroyGroup(group);
      Files.deleteIfExists(SnapshotInstaller.keptFile(installDirectory, id));
    }
  }

  /** Returns whether opening the replica continues the interrupted installation of a snapshot. */
  boolean isInstalling(RangeDescriptor range) {
    RangeKeys keys = new RangeKeys(range.id().number());
    return space(range.id().store()).latest().get(keys.installing()) != null
        || host.isInstalling(range.group());
  }

  /** Returns the merge that the range is frozen for on this node; null if it is not frozen. */
  @Nullable FreezeRecord frozen(RangeId id) {
    byte[] row = space(id.store()).latest().get(new RangeKeys(id.number()).frozen());
    return row == null ? null : FreezeRecord.decode(row);
  }

  /** Returns the range's descriptor as stored on this node, see {@link StoredDescriptors#find}. */
  @Nullable RangeDescriptor find(RangeId id) {
    return descriptors.find(id);
  }

  private void destroyGroup(GroupId group) throws IOException {
    try {
      host.destroy(group);
    } catch (ConsensusException e) {
      throw new IOException("cannot remove the group of range " + group + ": " + e.getMessage(), e);
    }
  }

  private void write(RangeId id, KvBatch batch) throws IOException {
    try {
      space(id.store()).write(batch);
    } catch (KvException e) {
      throw new IOException("cannot write rows of range " + id + ": " + e.getMessage(), e);
    }
  }

  private KvSpace space(String store) {
    return kv.space(store);
  }
}
