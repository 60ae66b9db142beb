package io.fjordmq.cluster.consensus.transport;

import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A complete snapshot of another replica's state on this node's disk, ready to be installed. */
public final class FetchedSnapshot extends MetaReader {
  private final SnapshotManifest manifest;
  private final Path directory;
  private final String offerUri;

  FetchedSnapshot(SnapshotManifest manifest, Path directory, String offer) {
    super(manifest.meta());
    this.offerUri = offer;
    this.manifest = manifest;
    this.directory = directory;
  }

  public CheckpointRecord checkpoint() {
    return new CheckpointRecord(manifest.applied(), manifest.meta());
  }

  public Path directory() {
    return directory;
  }

  /** Returns the URI that identifies the snapshot at its source. */
  public String offerUri() {
    return offerUri;
  }

  @Override
  public @Nullable String generateURIForCopy() {
    return null;
  }
}
