package io.fjordmq.range.store;

import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvSnapshot;
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
 * Copies a range's rows into a file and replaces them by such a copy.
 *
 * <p>Replacing takes many writes. Before the first, the file is kept in a place of this node and a
 * marker row says so durably; a crash in between is repaired at the next start by doing it all
 * again.
 */
final class ReplicaSnapshot {
  static final String FILE = "range.rows";

  private final RangeId id;
  private final RangeKeys keys;
  private final KvSpace space;
  private final Kv kv;
  private final Path installDirectory;
  private final RangeSplit splits;

  /**
   * What else has changed with a copy.
   *
   * @param skipped ranges of which there is a replica now, because the copy skips the splits that
   *     made them; an empty one unless they are newborn
   * @param absorbed ranges that are part of this one now; what replicas there are have no rows
   */
  record Installed(List<RangeDescriptor> skipped, List<RangeId> absorbed) {
    static final Installed NOTHING = new Installed(List.of(), List.of());
  }

  ReplicaSnapshot(RangeId id, KvSpace space, Kv kv, Path installDirectory, RangeSplit splits) {
    this.splits = splits;
    this.id = id;
    this.keys = new RangeKeys(id.number());
    this.space = space;
    this.kv = kv;
    this.installDirectory = installDirectory;
  }

  /**
   * Writes a consistent copy into the directory; returns the applied index it contains.
   *
   * @throws IOException if it cannot be written, or the range is part of another one by now
   */
  long export(Path directory) throws IOException {
    try (KvSnapshot rows = space.snapshot()) {
      if (rows.get(keys.descriptor()) == null) {
        throw new IOException(
            "range " + id + " is part of another one here: nothing is left of it");
      }
      return export(directory, rows);
    }
  }

  private byte[] descriptorRow(KvReader rows) {
    return required(rows, keys.descriptor(), "descriptor");
  }

  private long export(Path directory, KvReader rows) throws IOException {
    try (RowFile.Writer file = RowFile.write(directory.resolve(FILE))) {
      byte[] progress = required(rows, keys.progress(), "progress");
      RangeDescriptor descriptor = RangeDescriptorCodec.decode(descriptorRow(rows));
      file.add(keys.descriptor(), RangeDescriptorCodec.encode(descriptor));
      file.add(keys.progress(), progress);
      copy(rows, keys.sendersFrom(), keys.sendersTo(), file);
      copy(rows, keys.childrenFrom(), keys.childrenTo(), file);
      byte[] frozen = rows.get(keys.frozen());
      if (frozen != null) {
        file.add(keys.frozen(), frozen);
      }
      copy(rows, keys.partsFrom(), keys.partsTo(), file);
      for (long part : AbsorbedRange.parts(keys, rows)) {
        new AbsorbedRange(part).copyTo(file, rows);
      }
      KeyInterval interval = descriptor.interval();
      copy(rows, RangeKeys.data(interval.start()), RangeKeys.dataEnd(interval.end()), file);
      NewSplitChild.copyTo(file, RangeState.children(keys, rows), rows);
      for (FrozenNeighbour neighbour : FrozenNeighbour.of(descriptor, rows)) {
        neighbour.copyTo(file);
      }
      file.finish();
      return RangeState.appliedIndexOf(progress);
    }
  }

  private byte[] required(KvReader rows, byte[] key, String what) {
    byte[] value = rows.get(key);
    if (value == null) {
      throw new MalformedBytesException("range " + id + " has no " + what + " on this node");
    }
    return value;
  }

  static void copy(KvReader rows, byte[] from, byte[] to, RowFile.Writer file) throws IOException {
    IOException[] failure = new IOException[1];
    rows.scan(
        from,
        to,
        (key, value) -> {
          try {
            file.add(key, value);
            return true;
          } catch (IOException e) {
            failure[0] = e;
            return false;
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  /**
   * Replaces the range's rows by a copy; durable when it returns.
   *
   * <p>Of a range that is frozen here as there, only its progress is replaced.
   *
   * @throws SnapshotRefusedException if the copy is damaged, one of another range, or not for this
   *     node as things are; nothing has been changed
   * @throws IOException if the rows cannot be replaced
   */
  Installed install(Path directory) throws IOException {
    Path received = directory.resolve(FILE);
    ReceivedSnapshot incoming = read(received);
    if (space.latest().get(keys.descriptor()) == null) {
      throw new SnapshotRefusedException("range " + id + " is part of another one here");
    } else if (isInstalled(incoming)) {
      return Installed.NOTHING; // before the process died
    }
    if (isFrozenAlike(incoming)) {
      skipTo(incoming);
      return Installed.NOTHING;
    }
    long seen = versionSeen();
    refuseOverlap(incoming, seen);
    refuseWithoutNeighbours(incoming);
    Path kept = keep(received);
    KvBatch marker = new KvBatch();
    marker.put(keys.installing(), new ByteWriter(9).writeByte(1).writeLong(seen).toByteArray());
    space.write(marker);
    flush();
    Installed installed = replaceRows(kept, incoming, seen);
    Files.deleteIfExists(kept);
    return installed;
  }

  /** To be called before the range's rows are read; returns what {@link #install} does. */
  Installed finishInstallation() throws IOException {
    Path kept = keptFile();
    byte[] marker = space.latest().get(keys.installing());
    if (marker == null) {
      Files.deleteIfExists(kept); // the crash came before the marker: nothing was changed
      return Installed.NOTHING;
    }
    // Before ranges were split the marker said no more than that it is there.
    long seen = marker.length == 1 ? Long.MAX_VALUE : ByteBuffer.wrap(marker).getLong(1);
    Installed installed = replaceRows(kept, ReceivedSnapshot.read(id, kept), seen);
    Files.deleteIfExists(kept);
    return installed;
  }

  /** Up to which epoch version this replica has applied splits, or was told of them. */
  private long versionSeen() {
    return RangeDescriptorCodec.decode(descriptorRow(space.latest())).epoch().version();
  }

  private ReceivedSnapshot read(Path received) throws SnapshotRefusedException {
    try {
      return ReceivedSnapshot.read(id, received);
    } catch (IOException | MalformedBytesException e) {
      throw new SnapshotRefusedException(
          "cannot install a copy of range " + id + ": " + e.getMessage(), e);
    }
  }

  private boolean isInstalled(ReceivedSnapshot incoming) {
    KvReader rows = space.latest();
    return Arrays.equals(incoming.progress(), rows.get(keys.progress()))
        && Arrays.equals(
            RangeDescriptorCodec.encode(incoming.range()), rows.get(keys.descriptor()));
  }

  /**
   * Whether the range stands still here as in the copy: then all that is new is how far its log is.
   * Its rows stay, since its neighbour may be about to take them in.
   */
  private boolean isFrozenAlike(ReceivedSnapshot incoming) throws SnapshotRefusedException {
    byte[] frozen = space.latest().get(keys.frozen());
    if (frozen == null || versionSeen() != incoming.range().epoch().version()) {
      return false;
    } else if (!Arrays.equals(frozen, incoming.frozen())) {
      throw new SnapshotRefusedException(
          "range " + id + " is frozen here, and not in the copy of it");
    }
    return true;
  }

  private void skipTo(ReceivedSnapshot incoming) throws IOException {
    KvBatch batch = new KvBatch();
    batch.put(keys.progress(), incoming.progress());
    space.write(batch);
    flush();
  }

  /**
   * Installing over keys that another replica here holds would delete that replica's data. But of
   * one that is frozen, because it became part of this range, the copy has everything.
   */
  private void refuseOverlap(ReceivedSnapshot incoming, long versionSeen)
      throws SnapshotRefusedException {
    List<KeyInterval> replaced = new ArrayList<>();
    replaced.add(incoming.range().interval());
    missing(incoming, versionSeen).forEach(child -> replaced.add(child.range().interval()));
    for (byte[] row : RangeKeys.descriptors(space.latest())) {
      RangeDescriptor other = RangeDescriptorCodec.decode(row);
      if (!other.id().equals(id)
          && replaced.stream().anyMatch(other.interval()::overlaps)
          && !(incoming.parts().contains(other.id()) && isFrozen(other))) {
        throw new SnapshotRefusedException(
            "copy of range " + id + " holds keys of range " + other.id() + " of this node");
      }
    }
  }

  /** The newborn ranges of which this node is to have a replica and has none. */
  private List<NewSplitChild> missing(ReceivedSnapshot incoming, long versionSeen) {
    return incoming.newborn().stream()
        .filter(child -> splits.isMissing(child.range(), versionSeen))
        .toList();
  }

  private boolean isFrozen(RangeDescriptor other) {
    return FrozenNeighbour.isWhole(new RangeKeys(other.id().number()), space.latest());
  }

  /**
   * The log that follows may have the range take in what a replica that is new here does not have.
   * One that has something of the range was there when that was proposed, or it never will be as
   * long as the neighbour is not frozen here.
   */
  private void refuseWithoutNeighbours(ReceivedSnapshot incoming) throws SnapshotRefusedException {
    KvReader rows = space.latest();
    boolean isNew = RangeState.appliedIndexOf(required(rows, keys.progress(), "progress")) == 0;
    for (FrozenNeighbour neighbour : incoming.neighbours()) {
      if (isNew && !neighbour.isHere(rows)) {
        throw new SnapshotRefusedException(
            "copy of range %s is from before a merge with %s-%d, which is not frozen here yet"
                .formatted(id, id.store(), neighbour.number()));
      }
    }
  }

  private Path keptFile() {
    return keptFile(installDirectory, id);
  }

  /** Where a copy lies while it is installed. */
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

  private Installed replaceRows(Path file, ReceivedSnapshot incoming, long versionSeen)
      throws IOException {
    KvBatch batch = new KvBatch();
    deleteData(batch, ownInterval());
    deleteData(batch, incoming.range().interval());
    batch.deleteRange(keys.sendersFrom(), keys.sendersTo());
    batch.deleteRange(keys.childrenFrom(), keys.childrenTo());
    batch.delete(keys.frozen());
    batch.deleteRange(keys.partsFrom(), keys.partsTo());
    incoming.parts().forEach(part -> new AbsorbedRange(part.number()).clear(batch));
    List<NewSplitChild> missing = missing(incoming, versionSeen);
    missing.forEach(child -> deleteData(batch, child.range().interval()));
    List<NewSplitChild> others = new ArrayList<>(incoming.newborn());
    others.removeAll(missing);
    RowFile.read(
        file,
        (key, value) -> {
          if (!FrozenNeighbour.isRowOf(keys, key)
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
    return new Installed(skipped, incoming.parts());
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
      throw new IOException("cannot make the copy of range " + id + " durable", e.getCause());
    }
  }
}
