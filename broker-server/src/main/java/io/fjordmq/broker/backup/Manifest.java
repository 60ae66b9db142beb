package io.fjordmq.broker.backup;

import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.range.KeyInterval;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a backup. {@link ManifestText} is its file, which is written last: a directory
 * without it is not a backup.
 *
 * @param cluster id of the cluster that was backed up
 * @param version version of FjordMQ that wrote the backup
 * @param level no row was written at a higher cluster level than this
 * @param nodes the nodes that the cluster has ever had
 * @param metadata the file of the metadata records
 * @param ranges the ranges of the stores in {@link #STORES}, in key order within each store
 */
record Manifest(
    String cluster,
    String version,
    int level,
    Instant started,
    Instant finished,
    List<SourceNode> nodes,
    BackupFile metadata,
    List<BackupRange> ranges) {
  /** The stores in a backup. Routes are derived from the subscriptions in {@code inbox}. */
  static final List<String> STORES = List.of("inbox", "retain");

  /**
   * @throws IllegalArgumentException if keys are missing or there twice, files have the same name,
   *     or the level is not one
   */
  Manifest {
    if (level < SupportedLevels.FIRST || level > SupportedLevels.MAX) {
      throw new IllegalArgumentException(
          "the level must be between %d and %d: %d"
              .formatted(SupportedLevels.FIRST, SupportedLevels.MAX, level));
    }
    nodes = List.copyOf(nodes);
    ranges = List.copyOf(ranges);
    for (String store : STORES) {
      requireAllKeys(store, ranges);
    }
    Set<String> names = new HashSet<>(Set.of(metadata.name()));
    for (BackupRange range : ranges) {
      if (!STORES.contains(range.id().store())) {
        throw new IllegalArgumentException("unknown store " + range.id().store());
      }
      if (!names.add(range.file().name())) {
        throw new IllegalArgumentException("two entries for the file " + range.file().name());
      }
    }
  }

  private static void requireAllKeys(String store, List<BackupRange> all) {
    byte @Nullable [] end = new byte[0];
    for (BackupRange range : all) {
      if (range.id().store().equals(store)) {
        KeyInterval keys = range.keys();
        if (end == null || !Arrays.equals(keys.start(), end)) {
          throw new IllegalArgumentException("keys are missing or overlap before " + range.id());
        }
        end = keys.end();
      }
    }
    if (end != null) {
      throw new IllegalArgumentException("the last keys of the store " + store + " are missing");
    }
  }

  /** The ranges of a store, in key order. */
  List<BackupRange> ranges(String store) {
    return ranges.stream().filter(range -> range.id().store().equals(store)).toList();
  }

  /** The size of all files except the manifest. */
  long bytes() {
    return metadata.bytes() + ranges.stream().mapToLong(range -> range.file().bytes()).sum();
  }
}
