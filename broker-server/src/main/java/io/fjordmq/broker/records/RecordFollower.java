package io.fjordmq.broker.records;

import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the values of all records of one type that this node can read. A record that it cannot read
 * does not exist for this node. Called on the metadata thread.
 */
final class RecordFollower<T> implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(RecordFollower.class);

  private final String prefix;
  private final Function<byte[], T> reader;
  private final String consequence;
  private final RecordListener<T> listener;
  private final Map<String, T> records = new TreeMap<>();

  /**
   * @param reader decodes a value; throws if this node cannot use it
   * @param consequence what follows if this node cannot read a record, for the log
   */
  RecordFollower(
      String prefix, Function<byte[], T> reader, String consequence, RecordListener<T> listener) {
    this.prefix = prefix;
    this.reader = reader;
    this.consequence = consequence;
    this.listener = listener;
  }

  @Override
  public void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    boolean changed = false;
    boolean written = false;
    for (MetadataUpdate update : updates) {
      if (!update.key().startsWith(prefix)) {
        continue;
      }
      MetadataRecord record = update.record();
      T value = record == null ? null : read(record);
      if (value == null) {
        records.remove(update.key());
      } else {
        records.put(update.key(), value);
        written = true;
      }
      changed = true;
    }
    if (changed) {
      listener.onChanged(Collections.unmodifiableMap(records), written);
    }
  }

  private @Nullable T read(MetadataRecord record) {
    try {
      return reader.apply(record.value());
    } catch (RuntimeException e) { // would halt the metadata replica
      LOG.error(
          "Cannot read a metadata record; {}: {} record={}",
          consequence,
          e.getMessage(),
          record.key());
      return null;
    }
  }
}
