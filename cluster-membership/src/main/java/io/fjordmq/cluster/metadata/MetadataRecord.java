package io.fjordmq.cluster.metadata;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One record of the metadata.
 *
 * @param key the key of the record
 * @param value must not be modified
 * @param version the {@link MetadataView#version} at which it was last written; from 1
 */
@SuppressWarnings("ArrayRecordComponent") // equals, hashCode and toString are written out below
public record MetadataRecord(String key, byte[] value, long version) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MetadataRecord that
        && key.equals(that.key)
        && version == that.version
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + Long.hashCode(version);
  }

  @Override
  public String toString() {
    return key + " version " + version + ", " + value.length + " bytes";
  }
}
