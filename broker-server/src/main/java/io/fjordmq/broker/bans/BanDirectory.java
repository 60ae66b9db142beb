package io.fjordmq.broker.bans;

import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the bans in the metadata. A ban whose record this node cannot read does not apply on this
 * node. Called on the metadata thread.
 */
final class BanDirectory implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(BanDirectory.class);

  private final BanList list;
  private final Runnable onAdded;
  // By metadata key.
  private final Map<String, Ban> bans = new HashMap<>();

  /**
   * @param onAdded called when bans were added or changed; must not block
   */
  BanDirectory(BanList list, Runnable onAdded) {
    this.list = list;
    this.onAdded = onAdded;
  }

  @Override
  public void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    boolean changed = false;
    boolean added = false;
    for (MetadataUpdate update : updates) {
      if (!update.key().startsWith(StoredBan.PREFIX)) {
        continue;
      }
      MetadataRecord record = update.record();
      Ban ban = record == null ? null : read(record);
      if (ban == null) {
        bans.remove(update.key());
      } else {
        bans.put(update.key(), ban);
        added = true;
      }
      changed = true;
    }
    if (changed) {
      list.replace(new BanTable(bans.values()));
    }
    if (added) {
      onAdded.run();
    }
  }

  private static @Nullable Ban read(MetadataRecord record) {
    try {
      Ban ban = StoredBan.decode(record.value());
      BanRules.canonical(ban.kind(), ban.value());
      return ban;
    } catch (RuntimeException e) { // would halt the metadata replica
      LOG.error(
          "Cannot decode a ban in the metadata; this node does not enforce it: {} record={}",
          e.getMessage(),
          record.key());
      return null;
    }
  }
}
