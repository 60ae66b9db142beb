package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.StartRecord;
import java.util.List;

/** Passes the starts registered in the metadata to the fence. */
final class StartFenceUpdater implements MetadataListener {
  private final StartFence fence;

  StartFenceUpdater(StartFence fence) {
    this.fence = fence;
  }

  @Override
  public void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    if (updates.stream().anyMatch(update -> update.key().startsWith(StartRecord.PREFIX))) {
      StartRecord.all(view).forEach(fence::onRegistered);
    }
  }
}
