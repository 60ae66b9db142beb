package io.fjordmq.broker.trace;

import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the traces in the metadata. A trace whose record this node cannot read is not written on
 * this node. Called on the metadata thread.
 */
final class TraceDirectory implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(TraceDirectory.class);

  private final Consumer<List<Trace>> onChanged;
  // By metadata key.
  private final Map<String, Trace> traces = new HashMap<>();

  /**
   * @param onChanged called with all traces after each change; must not block
   */
  TraceDirectory(Consumer<List<Trace>> onChanged) {
    this.onChanged = onChanged;
  }

  @Override
  public void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    boolean changed = false;
    for (MetadataUpdate update : updates) {
      if (!update.key().startsWith(StoredTrace.PREFIX)) {
        continue;
      }
      MetadataRecord record = update.record();
      Trace trace = record == null ? null : read(record);
      if (trace == null) {
        traces.remove(update.key());
      } else {
        traces.put(update.key(), trace);
      }
      changed = true;
    }
    if (changed) {
      onChanged.accept(List.copyOf(traces.values()));
    }
  }

  private static @Nullable Trace read(MetadataRecord record) {
    try {
      Trace trace = StoredTrace.decode(record.value());
      TraceRules.canonical(trace.type(), trace.value());
      return trace;
    } catch (RuntimeException e) { // would halt the metadata replica
      LOG.error(
          "Cannot read a trace in the metadata; it is not written on this node: {} record={}",
          e.getMessage(),
          record.key());
      return null;
    }
  }
}
