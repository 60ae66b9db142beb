package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.google.protobuf.InvalidProtocolBufferException;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Lists the contents of a snapshot.
 *
 * <pre>
 * version u8 = 1 | applied u64 | meta: length varint, SnapshotMeta of jraft (protobuf)
 *   | files: count u16, each: name string, size u64
 * </pre>
 *
 * @param applied last index that the snapshot includes; lower than that of {@code meta} if only
 *     internal entries, which never reach a state, are between them
 * @param meta the checkpoint for which the snapshot is offered
 * @param files names relative to the snapshot's directory, with '/'
 */
public record SnapshotManifest(long applied, SnapshotMeta meta, List<FileSize> files) {
  private static final byte VERSION = 1;

  /** One file and its length in bytes. */
  public record FileSize(String name, long size) {}

  static SnapshotManifest of(Path directory, long applied, SnapshotMeta meta) throws IOException {
    List<FileSize> files = new ArrayList<>();
    try (Stream<Path> found = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) found.filter(Files::isRegularFile).sorted()::iterator) {
        String name = directory.relativize(file).toString().replace('\\', '/');
        files.add(new FileSize(name, Files.size(file)));
      }
    }
    return new SnapshotManifest(applied, meta, files);
  }

  public byte[] encode() {
    ByteWriter out = new ByteWriter(256).writeByte(VERSION).writeLong(applied);
    out.writeBlock(meta.toByteArray()).writeShort(files.size());
    files.forEach(file -> out.writeString(file.name()).writeLong(file.size()));
    return out.toByteArray();
  }

  public static SnapshotManifest decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("snapshot manifest", VERSION, in.readByte());
    long applied = in.readLong();
    byte[] meta = in.readBlock();
    List<FileSize> files = new ArrayList<>();
    for (int remaining = in.readShort(); remaining > 0; remaining--) {
      files.add(new FileSize(in.readString(), in.readLong()));
    }
    in.requireEnd();
    try {
      return new SnapshotManifest(applied, SnapshotMeta.parseFrom(meta), List.copyOf(files));
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedBytesException("malformed SnapshotMeta in a snapshot manifest", e);
    }
  }
}
