package io.fjordmq.range.store;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
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
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas on this node's disks: a group in the log database, rows in the state database.
 * Blocks; for one thread at a time.
 */
final class StoredReplicas {
  /*
   * What a crash leaves must be told apart. Rows exist only after their group, and are durable
   * before the replica is opened: a group without rows never took part in anything. A replica is
   * removed under a durable mark, its log first: rows with a mark are removed at the next start.
   * The mark stays, for a replica that came back empty would vote without the log that it had,
   * and others might still ask it to: there is none again before everybody knows better.
   */
  private static final Logger LOG = LoggerFactory.getLogger(StoredReplicas.class);
  private static final byte[] BEING_REMOVED = {1};
  private static final byte[] RETIRED = {2};

  private final ConsensusHost host;
  private final Kv kv;
  private final Path installDirectory;

  StoredReplicas(ConsensusHost host, Kv kv, Path installDirectory) {
    this.host = host;
    this.kv = kv;
    this.installDirectory = installDirectory;
  }

  /** All of a store, after finishing removals and merges that a crash cut short. */
  List<RangeDescriptor> load(String store) throws IOException {
    List<RangeDescriptor> found = new ArrayList<>();
    for (byte[] row : RangeKeys.descriptors(space(store).latest())) {
      RangeDescriptor range = RangeDescriptorCodec.decode(row);
      if (!finishRemoval(range.id())) {
        found.add(range);
      }
    }
    for (long number : RangeKeys.absorbed(space(store).latest())) {
      finishAbsorption(new RangeId(store, number));
    }
    return found;
  }

  /** Creates a replica of a range that begins now; {@link #flush} makes it last. */
  void createFirst(RangeDescriptor range) throws IOException {
    try {
      host.create(range.group(), range.replicas(), RangeState.BEGINNING);
    } catch (ConsensusException e) {
      throw new IOException("cannot create the group of range " + range.id(), e);
    }
    KvBatch batch = new KvBatch();
    RangeState.create(range, RangeState.BEGINNING, 0, batch);
    write(range.id(), batch);
    LOG.info("Range created range={} keys={}", range.id(), range.interval());
  }

  /** Creates an empty replica of a range that others have; {@link #flush} makes it last. */
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

  /** Ranges of a store that had a replica here. */
  List<RangeId> retired(String store) {
    List<RangeId> found = new ArrayList<>();
    for (long number : RangeKeys.removed(space(store).latest())) {
      if (mark(new RangeId(store, number)) == Mark.RETIRED) {
        found.add(new RangeId(store, number));
      }
    }
    return found;
  }

  /** There may be a replica again. */
  void forget(RangeId id) throws IOException {
    if (mark(id) == Mark.RETIRED) {
      KvBatch batch = new KvBatch();
      batch.delete(new RangeKeys(id.number()).removing());
      write(id, batch);
    }
  }

  /**
   * Removes what a crash left of the range, so that it can be created.
   *
   * @throws IllegalStateException if there may be no replica here
   */
  void clean(RangeDescriptor range) throws IOException {
    finishRemoval(range.id());
    if (isAbsorbed(range.id())) {
      throw new IllegalStateException("range " + range.id() + " became part of another one");
    } else if (mark(range.id()) == Mark.RETIRED) {
      throw new IllegalStateException(
          "range "
              + range.id()
              + " had a replica here that others may still count on; it may come back once every"
              + " node of the cluster is up and has forgotten it");
    }
    if (find(range.id()) == null && host.groups().contains(range.group())) {
      destroyGroup(range.group());
    }
  }

  private enum Mark {
    NONE,
    BEING_REMOVED,
    RETIRED
  }

  private Mark mark(RangeId id) {
    byte[] row = space(id.store()).latest().get(new RangeKeys(id.number()).removing());
    if (row == null) {
      return Mark.NONE;
    }
    return Arrays.equals(row, RETIRED) ? Mark.RETIRED : Mark.BEING_REMOVED;
  }

  /** Makes everything written so far durable. */
  void flush() throws IOException {
    try {
      kv.flush().join();
    } catch (CompletionException e) {
      throw new IOException("cannot make the rows of replicas durable", e.getCause());
    }
  }

  /** From here on the replica will be removed, whatever happens; durable when it returns. */
  void beginRemoval(RangeId id) throws IOException {
    KvBatch batch = new KvBatch();
    batch.put(new RangeKeys(id.number()).removing(), BEING_REMOVED);
    write(id, batch);
    flush();
  }

  /**
   * Removes the log and the rows of a replica that is closed and marked.
   *
   * @return whether it was marked; it is retired now
   */
  boolean finishRemoval(RangeId id) throws IOException {
    RangeKeys keys = new RangeKeys(id.number());
    RangeDescriptor range = find(id);
    if (range == null || mark(id) != Mark.BEING_REMOVED) {
      return false;
    }
    destroyGroup(range.group());
    KeyInterval interval = range.interval();
    KvBatch batch = new KvBatch();
    for (long part : AbsorbedRange.parts(keys, space(id.store()).latest())) {
      new AbsorbedRange(part).clear(batch);
    }
    batch.deleteRange(RangeKeys.data(interval.start()), RangeKeys.dataEnd(interval.end()));
    batch.deleteRange(keys.first(), keys.end());
    batch.put(keys.removing(), RETIRED);
    write(id, batch);
    Files.deleteIfExists(ReplicaSnapshot.keptFile(installDirectory, id));
    LOG.info("Replica removed range={} keys={}", id, interval);
    return true;
  }

  /** Whether the range is part of another one here. */
  boolean isAbsorbed(RangeId id) {
    return space(id.store()).latest().get(new RangeKeys(id.number()).absorbed()) != null;
  }

  /**
   * See {@link AbsorbedRange#answer}; null as well if nobody can read it, now or at this version.
   */
  @Nullable RangeResult answerOfAbsorbed(RangeId id, byte @Nullable [] entry) {
    try {
      return new AbsorbedRange(id.number()).answer(entry, space(id.store()).latest());
    } catch (KvException | MalformedBytesException e) {
      LOG.debug("what is left of range {} cannot be read", id, e);
      return null; // who asks tries other nodes
    }
  }

  /**
   * Removes the log of a range that became part of another one, and what its replica may have
   * written since. To be called when that is durable, and the replica closed.
   */
  void finishAbsorption(RangeId id) throws IOException {
    GroupId group = new GroupId(id.toString());
    if (isAbsorbed(id) && host.groups().contains(group)) {
      KvBatch batch = new KvBatch();
      batch.delete(new RangeKeys(id.number()).progress());
      write(id, batch);
      destroyGroup(group);
      Files.deleteIfExists(ReplicaSnapshot.keptFile(installDirectory, id));
    }
  }

  /** Whether opening the replica goes on with a copy that a crash kept from being installed. */
  boolean isInstalling(RangeDescriptor range) {
    RangeKeys keys = new RangeKeys(range.id().number());
    return space(range.id().store()).latest().get(keys.installing()) != null
        || host.isInstalling(range.group());
  }

  /** For what the range stands still here; null if it does not. */
  @Nullable FreezeRecord frozen(RangeId id) {
    byte[] row = space(id.store()).latest().get(new RangeKeys(id.number()).frozen());
    return row == null ? null : FreezeRecord.decode(row);
  }

  /** The range's descriptor as it is stored here; null if there is no replica. */
  @Nullable RangeDescriptor find(RangeId id) {
    byte[] row = space(id.store()).latest().get(new RangeKeys(id.number()).descriptor());
    return row == null ? null : RangeDescriptorCodec.decode(row);
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
      throw new IOException(
          "cannot change what is stored of range " + id + ": " + e.getMessage(), e);
    }
  }

  private KvSpace space(String store) {
    return kv.space(store);
  }
}
