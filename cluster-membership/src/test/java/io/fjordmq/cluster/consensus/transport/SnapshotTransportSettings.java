package io.fjordmq.cluster.consensus.transport;

import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;

/** The default transport settings with other limits for snapshots. */
final class SnapshotTransportSettings {
  private SnapshotTransportSettings() {}

  static TransportSettings of(Duration timeout, int chunkBytes, long reserveBytes) {
    return RecordBuilder.from(TransportSettings.DEFAULT)
        .with(TransportSettings::snapshotTimeout, timeout)
        .with(TransportSettings::snapshotChunkBytes, chunkBytes)
        .with(TransportSettings::snapshotReserveBytes, reserveBytes)
        .build();
  }
}
