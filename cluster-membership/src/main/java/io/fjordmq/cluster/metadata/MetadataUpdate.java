package io.fjordmq.cluster.metadata;

import org.jspecify.annotations.Nullable;

/**
 * One record that changed.
 *
 * @param key the key of the record
 * @param before the record that was replaced or removed; null if there was none
 * @param record the new record; null if it was removed
 */
public record MetadataUpdate(
    String key, @Nullable MetadataRecord before, @Nullable MetadataRecord record) {}
