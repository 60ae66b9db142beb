package io.fjordmq.range.store;

import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /** What a copy says of the range, apart from its rows. */
  private record Copy(
      RangeDescriptor range,
      List<RangeDescriptor> children,
      List<Newborn> newborn,
      List<RangeId> parts) {}

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
   * @param leading whether the replica has applied all that was committed before its term. A copy
   *     from before a merge must not reach who has no rows of the part: the log that follows would
   *     have it take in what it does not have
   * @throws IOException if that may be so, or the copy cannot be written
   */
  long export(Path directory, boolean leading) throws IOException {
    try (KvSnapshot rows = space.snapshot()) {
      if (!leading && mayHaveTakenIn(rows)) {
        throw new IOException(
            "range "
                + id
                + " may have been merged before this term, and has not applied that: it goes on when it"
                + " leads, for which another voter that is not so far behind must come back");
      }
      return export(directory, rows);
    }
  }

  /**
   * Whether the log may hold an entry by which the range takes in its neighbour and which is not
   * applied here: that one stands still for it on the disk of every replica then. Whether it leads
   * is not enough to ask: a leader of two that are left may need to send a copy before it can lead.
   */
  private boolean mayHaveTakenIn(KvReader rows) {
    long version = RangeDescriptorCodec.decode(descriptorRow(rows)).epoch().version();
    return RangeKeys.frozen(rows).stream()
        .map(Frozen::decode)
        .anyMatch(still -> still.left() == id.number() && still.leftVersion() == version);
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
      Newborn.copyTo(file, RangeState.children(keys, rows), rows);
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
   * Replaces the range's rows by a copy; durable when it returns. A damaged copy, or one of another
   * range, is refused before anything is changed.
   */
  Installed install(Path directory) throws IOException {
    Path received = directory.resolve(FILE);
    Copy incoming = check(received);
    refuseIfFrozen(incoming.range());
    long seen = versionSeen();
    refuseOverlap(incoming, seen);
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
    Installed installed = replaceRows(kept, check(kept), seen);
    Files.deleteIfExists(kept);
    return installed;
  }

  /** Up to which epoch version this replica has applied splits, or was told of them. */
  private long versionSeen() {
    return RangeDescriptorCodec.decode(descriptorRow(space.latest())).epoch().version();
  }

  /** Reads the whole file, so that damage is found first. */
  private Copy check(Path file) throws IOException {
    byte[][] found = new byte[1][];
    List<RangeDescriptor> children = new ArrayList<>();
    List<RangeId> parts = new ArrayList<>();
    Map<Long, byte[]> progress = new HashMap<>();
    RowFile.read(
        file,
        (key, value) -> {
          if (Arrays.equals(key, keys.descriptor())) {
            found[0] = value;
          } else if (keys.isChild(key)) {
            children.add(RangeDescriptorCodec.decode(value));
          } else if (keys.isPart(key)) {
            parts.add(new RangeId(id.store(), RangeKeys.numberOf(key)));
          } else if (RangeKeys.isProgress(key)) {
            progress.put(RangeKeys.rangeOf(key), value);
          }
        });
    byte[] descriptor = found[0];
    if (descriptor == null) {
      throw new IOException(file + " does not hold a copy of range " + id);
    }
    List<Newborn> newborn = new ArrayList<>();
    for (RangeDescriptor child : children) {
      byte[] begun = progress.get(child.id().number());
      if (begun != null) {
        newborn.add(new Newborn(child, begun));
      }
    }
    return new Copy(RangeDescriptorCodec.decode(descriptor), children, newborn, parts);
  }

  /**
   * What stands still here has all there is of it, and its neighbour may be about to take it in.
   */
  private void refuseIfFrozen(RangeDescriptor incoming) throws IOException {
    KvReader rows = space.latest();
    if (rows.get(keys.frozen()) != null && versionSeen() == incoming.epoch().version()) {
      throw new IOException("range " + id + " is frozen here, a copy has nothing more of it");
    }
  }

  /**
   * Installing over keys that another replica here holds would delete that replica's data. But of
   * one that is frozen, because it became part of this range, the copy has everything.
   */
  private void refuseOverlap(Copy incoming, long versionSeen) throws IOException {
    List<KeyInterval> replaced = new ArrayList<>();
    replaced.add(incoming.range().interval());
    missing(incoming, versionSeen).forEach(child -> replaced.add(child.range().interval()));
    for (byte[] row : RangeKeys.descriptors(space.latest())) {
      RangeDescriptor other = RangeDescriptorCodec.decode(row);
      if (!other.id().equals(id)
          && replaced.stream().anyMatch(other.interval()::overlaps)
          && !(incoming.parts().contains(other.id()) && isFrozen(other))) {
        throw new IOException(
            "copy of range " + id + " holds keys of range " + other.id() + " of this node");
      }
    }
  }

  /** The newborn ranges of which this node is to have a replica and has none. */
  private List<Newborn> missing(Copy incoming, long versionSeen) {
    return incoming.newborn().stream()
        .filter(child -> splits.isMissing(child.range(), versionSeen))
        .toList();
  }

  private boolean isFrozen(RangeDescriptor other) {
    RangeKeys others = new RangeKeys(other.id().number());
    KvReader rows = space.latest();
    return rows.get(others.frozen()) != null
        && rows.get(others.installing()) == null
        && rows.get(others.removing()) == null; // who removes it would remove our rows, too
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

  private Installed replaceRows(Path file, Copy incoming, long versionSeen) throws IOException {
    KvBatch batch = new KvBatch();
    deleteData(batch, ownInterval());
    deleteData(batch, incoming.range().interval());
    batch.deleteRange(keys.sendersFrom(), keys.sendersTo());
    batch.deleteRange(keys.childrenFrom(), keys.childrenTo());
    batch.delete(keys.frozen());
    batch.deleteRange(keys.partsFrom(), keys.partsTo());
    incoming.parts().forEach(part -> new AbsorbedRange(part.number()).clear(batch));
    List<Newborn> missing = missing(incoming, versionSeen);
    missing.forEach(child -> deleteData(batch, child.range().interval()));
    List<Newborn> others = new ArrayList<>(incoming.newborn());
    others.removeAll(missing);
    RowFile.read(
        file,
        (key, value) -> {
          if (others.stream().noneMatch(child -> child.owns(key))) {
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
