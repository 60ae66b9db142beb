package io.fjordmq.broker.backup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A small backup. */
final class Samples {
  static final String SHA = "ab".repeat(32);

  private Samples() {}

  static BackupFile file(String name) {
    return new BackupFile(name, 12, SHA, 3);
  }

  static BackupRange range(BackupFile file, String store, byte[] start, byte @Nullable [] end) {
    KeyInterval keys = end == null ? KeyInterval.from(start) : new KeyInterval(start, end);
    return new BackupRange(file, new RangeId(store, 7), 4, 99, keys);
  }

  static Manifest manifest(int level, BackupFile metadata, List<BackupRange> ranges) {
    return new Manifest(
        "51c7d2e9a0b4f836",
        "0.1.0",
        level,
        Instant.parse("2026-11-27T17:00:00Z"),
        Instant.parse("2026-11-27T17:00:05.5Z"),
        List.of(new SourceNode(new NodeId("3f9c0a7be21d"), 5)),
        metadata,
        ranges);
  }

  static Manifest manifest(int level) {
    byte[] all = {};
    byte[] middle = {8, 0};
    return manifest(
        level,
        file("metadata-0001.rows"),
        List.of(
            range(file("inbox-0001.rows"), "inbox", all, middle),
            range(file("inbox-0002.rows"), "inbox", middle, null),
            range(file("retain-0003.rows"), "retain", all, null)));
  }

  /** Writes a backup with one row in each file. */
  static void write(Path directory, int level) throws IOException {
    write(BackupLocation.of(directory.toString()), level);
  }

  static void write(BackupLocation location, int level) throws IOException {
    BackupWriter writer = BackupWriter.create(location);
    BackupFile metadata = row(writer, "metadata-0001.rows", "ban/a");
    BackupFile inbox = row(writer, "inbox-0001.rows", "in");
    BackupFile retain = row(writer, "retain-0002.rows", "re");
    byte[] all = {};
    writer.finish(
        manifest(
            level,
            metadata,
            List.of(range(inbox, "inbox", all, null), range(retain, "retain", all, null))));
  }

  private static BackupFile row(BackupWriter writer, String name, String key) throws IOException {
    return writer.write(name, rows -> rows.visit(key.getBytes(UTF_8), new byte[] {1}));
  }
}
