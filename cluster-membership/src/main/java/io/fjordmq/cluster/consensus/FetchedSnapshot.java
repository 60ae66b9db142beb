package io.fjordmq.cluster.consensus;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A copy of another replica's state, complete on this node's disk, waiting to be installed. */
final class FetchedSnapshot extends MetaReader {
  private final SnapshotManifest manifest;
  private final Path directory;

  FetchedSnapshot(SnapshotManifest manifest, Path directory) {
    super(manifest.meta());
    this.manifest = manifest;
    this.directory = directory;
  }

  CheckpointRecord checkpoint() {
    return new CheckpointRecord(manifest.applied(), manifest.meta());
  }

  Path directory() {
    return directory;
  }

  @Override
  public @Nullable String generateURIForCopy() {
    return null;
  }
}
