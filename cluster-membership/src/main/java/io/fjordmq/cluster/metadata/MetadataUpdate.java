package io.fjordmq.cluster.metadata;

import org.jspecify.annotations.Nullable;

/**
 * One record that changed.
 *
 * @param key its name
 * @param record what it is now; null if it is gone
 */
public record MetadataUpdate(String key, @Nullable MetadataRecord record) {}
