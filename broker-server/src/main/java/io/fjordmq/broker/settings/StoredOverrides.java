package io.fjordmq.broker.settings;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The values set through the API, as stored in the metadata under {@code config/overrides}:
 *
 * <pre>
 * u8 version = 1 | varint count | each: block key, block value    (sorted by key)
 * </pre>
 *
 * <p>One record holds all values, so that several keys change together.
 */
final class StoredOverrides {
  static final String KEY = "config/overrides";
  private static final int VERSION = 1;

  private StoredOverrides() {}

  static byte[] encode(Map<String, String> overrides) {
    ByteWriter out = new ByteWriter(256).writeByte(VERSION).writeVarint(overrides.size());
    new TreeMap<>(overrides).forEach((key, value) -> out.writeString(key).writeString(value));
    return out.toByteArray();
  }

  /**
   * @throws io.fjordmq.common.MalformedBytesException if the bytes have another format, or were
   *     written by a newer version
   */
  static Map<String, String> decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("configuration overrides", VERSION, in.readByte());
    Map<String, String> overrides = new TreeMap<>();
    int count = in.readCount(2);
    for (int i = 0; i < count; i++) {
      overrides.put(in.readString(), in.readString());
    }
    in.requireEnd();
    return Collections.unmodifiableMap(overrides);
  }
}
