package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a range's rows with a received snapshot.
 *
 * <p>Replacing takes many writes. Before the first one, the file is stored on this node and a
 * marker row records that durably; after a crash during the installation, the next start repeats
 * it.
 */
final class SnapshotInstaller {
  private final RangeId id;
  private final RangeKeys keys;
  private final KvSpace space;
  private final Kv kv;
  private final Path installDirectory;
  private final RangeSplit splits;

  /**
   * Changes to other ranges that a snapshot has caused.
   *
   * @param skipped ranges that have a replica now, because the snapshot skipped the splits that
   *     created them; such a replica is empty unless its rows were in the snapshot
   * @param absorbed ranges that were merged into this one; their replicas on this node have no rows
   */
  record InstallResult(List<RangeDescriptor> skipped, List<RangeId> absorbed) {
    static final InstallResult NO_CHANGES = new InstallResult(List.of(), List.of());
  }

  SnapshotInstaller(RangeId id, KvSpace space, Kv kv, Path installDirectory, RangeSplit splits) {
    this.splits = splits;
    this.id = id;
    this.keys = new RangeKeys(id.number());
    this.space = space;
    this.kv = kv;
    this.installDirectory = installDirectory;
  }

  /**
   * Replaces the range's rows with a snapshot, which is durable when this method returns.
   *
   * <p>If the range is frozen both on this node and in the snapshot, only its progress is replaced.
   *
   * @throws SnapshotRefusedException if the snapshot is corrupt, belongs to another range, or
   *     cannot be installed on this node now; nothing has been changed
   * @throws IOException if the rows cannot be replaced
   */
  InstallResult install(Path directory) throws IOException {
    Path received = directory.resolve(ReplicaSnapshot.FILE);
    ReceivedSnapshot incoming = read(received);
    if (space.latest().get(keys.descriptor()) == null) {
      throw new SnapshotRefusedException(
          "range " + id + " was merged into another one on this node");
    } else if (isInstalled(incoming)) {
      return InstallResult.NO_CHANGES; // before the process died
    }
    if (isFrozenForSameMerge(incoming)) {
      replaceProgress(incoming);
      return InstallResult.NO_CHANGES;
    }
    long seen = appliedVersion();
    requireNoOverlap(incoming, seen);
    requireNeighbors(incoming);
    Path kept = keep(received);
    KvBatch marker = new KvBatch();
    marker.put(keys.installing(), new ByteWriter(9).writeByte(1).writeLong(seen).toByteArray());
    space.write(marker);
    flush();
    InstallResult installed = replaceRows(kept, incoming, seen);
    Files.deleteIfExists(kept);
    return installed;
  }

  /**
   * Completes an interrupted installation; must be called before the range's rows are loaded.
   * Returns the same as {@link #install}.
   */
  InstallResult finishInstallation() throws IOException {
    Path kept = keptFile();
    byte[] marker = space.latest().get(keys.installing());
    if (marker == null) {
      Files.deleteIfExists(
          kept); // the crash happened before the marker was written, so nothing was changed
      return InstallResult.NO_CHANGES;
    }
    // In versions that did not split ranges, the marker had no content.
    long seen = marker.length == 1 ? Long.MAX_VALUE : ByteBuffer.wrap(marker).getLong(1);
    InstallResult installed = replaceRows(kept, ReceivedSnapshot.read(id, kept), seen);
    Files.deleteIfExists(kept);
    return installed;
  }

  /**
   * Returns the epoch version up to which splits were applied by this replica or before its
   * creation.
   */
  private long appliedVersion() {
    return RangeDescriptorCodec.decode(
            ReplicaSnapshot.required(id, space.latest(), keys.descriptor(), "descriptor"))
        .epoch()
        .version();
  }

  private ReceivedSnapshot read(Path received) throws SnapshotRefusedException {
    try {
      return ReceivedSnapshot.read(id, received);
    } catch (IOException | MalformedBytesException e) {
      throw new SnapshotRefusedException(
          "cannot install a snapshot of range " + id + ": " + e.getMessage(), e);
    }
  }

  private boolean isInstalled(ReceivedSnapshot incoming) {
    KvReader rows = space.latest();
    return Arrays.equals(incoming.progress(), rows.get(keys.progress()))
        && Arrays.equals(
            RangeDescriptorCodec.encode(incoming.range()), rows.get(keys.descriptor()));
  }

  /**
   * Returns whether the range is frozen on this node as it is in the snapshot. If so, only the log
   * position is new, and the rows stay because the neighbor may be about to absorb them.
   */
  private boolean isFrozenForSameMerge(ReceivedSnapshot incoming) throws SnapshotRefusedException {
    byte[] frozen = space.latest().get(keys.frozen());
    if (frozen == null || appliedVersion() != incoming.range().epoch().version()) {
      return false;
    } else if (!Arrays.equals(frozen, incoming.frozen())) {
      throw new SnapshotRefusedException(
          "range " + id + " is frozen on this node but not in its snapshot");
    }
    return true;
  }

  private void replaceProgress(ReceivedSnapshot incoming) throws IOException {
    KvBatch batch = new KvBatch();
    batch.put(keys.progress(), incoming.progress());
    space.write(batch);
    flush();
  }

  /**
   * Refuses a snapshot that would replace keys of another replica on this node, because installing
   * it would delete that replica's data. The exception is a frozen replica of a range that this one
   * has absorbed, because the snapshot contains all of its data.
   */
  private void requireNoOverlap(ReceivedSnapshot incoming, long versionSeen)
      throws SnapshotRefusedException {
    List<KeyInterval> replaced = new ArrayList<>();
    replaced.add(incoming.range().interval());
    missing(incoming, versionSeen).forEach(child -> replaced.add(child.range().interval()));
    for (byte[] row : RangeKeys.descriptors(space.latest())) {
      RangeDescriptor other = decodeOrRefuse(row);
      if (!other.id().equals(id)
          && replaced.stream().anyMatch(other.interval()::overlaps)
          && !(incoming.absorbedRanges().contains(other.id()) && isFrozen(other))) {
        throw new SnapshotRefusedException(
            "snapshot of range " + id + " holds keys of range " + other.id() + " of this node");
      }
    }
  }

  /**
   * Decodes a descriptor, or refuses the snapshot. The cause is not the snapshot but the other
   * replica, which is about to be rebuilt.
   */
  private RangeDescriptor decodeOrRefuse(byte[] row) throws SnapshotRefusedException {
    try {
      return RangeDescriptorCodec.decode(row);
    } catch (MalformedBytesException e) {
      throw new SnapshotRefusedException(
          "snapshot of range %s may hold keys of a replica whose descriptor cannot be read: %s"
              .formatted(id, e.getMessage()));
    }
  }

  /** Returns the new split children that should have a replica on this node and have none. */
  private List<NewSplitChild> missing(ReceivedSnapshot incoming, long versionSeen) {
    return incoming.newChildren().stream()
        .filter(child -> splits.isMissing(child.range(), versionSeen))
        .toList();
  }

  private boolean isFrozen(RangeDescriptor other) {
    return FrozenNeighbor.hasAllRows(new RangeKeys(other.id().number()), space.latest());
  }

  /**
   * Refuses a snapshot for a new replica if this node lacks a neighbor that the range may absorb in
   * the log that follows. A replica that is not new needs no check: either it took part when the
   * merge was proposed, or the entry cannot exist as long as the neighbor is not frozen on this
   * node.
   */
  private void requireNeighbors(ReceivedSnapshot incoming) throws SnapshotRefusedException {
    KvReader rows = space.latest();
    boolean isNew =
        RangeState.appliedIndexOf(ReplicaSnapshot.required(id, rows, keys.progress(), "progress"))
            == 0;
    for (FrozenNeighbor neighbor : incoming.neighbors()) {
      if (isNew && !neighbor.isFrozen(rows)) {
        throw new SnapshotRefusedException(
            ("snapshot of range %s predates the merge with %s-%d, which is not frozen on this node"
                    + " yet")
                .formatted(id, id.store(), neighbor.number()));
      }
    }
  }

  private Path keptFile() {
    return keptFile(installDirectory, id);
  }

  /** Returns where a snapshot is stored while it is installed. */
  static Path keptFile(Path installDirectory, RangeId id) {
    return installDirectory.resolve(id + ".rows");
  }

  private Path keep(Path received) throws IOException {
    Files.createDirectories(installDirectory);
    Path kept = keptFile();
    Path partial = installDirectory.resolve(id + ".partial");
    Files.copy(received, partial, StandardCopyOption.REPLACE_EXISTING);
    RowFile.sync(partial);
    Files.move(partial, kept, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    RowFile.sync(installDirectory);
    return kept;
  }

  private InstallResult replaceRows(Path file, ReceivedSnapshot incoming, long versionSeen)
      throws IOException {
    KvBatch batch = new KvBatch();
    deleteData(batch, ownInterval());
    deleteData(batch, incoming.range().interval());
    batch.deleteRange(keys.sendersFrom(), keys.sendersTo());
    batch.deleteRange(keys.childrenFrom(), keys.childrenTo());
    batch.delete(keys.frozen());
    batch.deleteRange(keys.absorbedRangesFrom(), keys.absorbedRangesTo());
    incoming
        .absorbedRanges()
        .forEach(absorbed -> new AbsorbedRange(absorbed.number()).clear(batch));
    List<NewSplitChild> missing = missing(incoming, versionSeen);
    missing.forEach(child -> deleteData(batch, child.range().interval()));
    List<NewSplitChild> others = new ArrayList<>(incoming.newChildren());
    others.removeAll(missing);
    RowFile.read(
        file,
        (key, value) -> {
          if (!FrozenNeighbor.isRowOf(keys, key)
              && others.stream().noneMatch(child -> child.owns(key))) {
            batch.put(key, value);
          }
          if (batch.bytes() >= RowFile.CHUNK_BYTES) {
            space.write(batch);
            batch.clear();
          }
        });
    batch.delete(keys.installing());
    List<RangeDescriptor> skipped =
        splits.addSkipped(incoming.children(), missing, versionSeen, batch);
    space.write(batch);
    flush();
    return new InstallResult(skipped, incoming.absorbedRanges());
  }

  private @Nullable KeyInterval ownInterval() {
    byte[] row = space.latest().get(keys.descriptor());
    return row == null ? null : RangeDescriptorCodec.decode(row).interval();
  }

  private static void deleteData(KvBatch batch, @Nullable KeyInterval interval) {
    if (interval != null) {
      batch.deleteRange(RangeKeys.data(interval.start()), RangeKeys.dataEnd(interval.end()));
    }
  }

  private void flush() throws IOException {
    try {
      kv.flush().join();
    } catch (CompletionException e) {
      throw new IOException("cannot make the snapshot of range " + id + " durable", e.getCause());
    }
  }
}
