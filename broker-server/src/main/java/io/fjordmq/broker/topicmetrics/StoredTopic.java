package io.fjordmq.broker.topicmetrics;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A registered topic as stored in the metadata under {@code topic-metric/<SHA-256 of tenant and
 * topic in hex>}:
 *
 * <pre>
 * u8 version = 1 | block tenant | block topic | varint createdAt
 * varint resetAt      (ms since the epoch; 0 for none)
 * </pre>
 *
 * <p>The key contains a hash because topics can be longer than keys and contain other characters.
 */
final class StoredTopic {
  static final String PREFIX = "topic-metric/";
  private static final int VERSION = 1;

  private StoredTopic() {}

  static String key(String tenant, String topic) {
    byte[] identity = new ByteWriter(64).writeString(tenant).writeString(topic).toByteArray();
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(identity);
      return PREFIX + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide SHA-256", e);
    }
  }

  static byte[] encode(RegisteredTopic topic) {
    Instant resetAt = topic.resetAt();
    return new ByteWriter(64)
        .writeByte(VERSION)
        .writeString(topic.tenant())
        .writeString(topic.topic())
        .writeVarint(topic.createdAt().toEpochMilli())
        .writeVarint(resetAt == null ? 0 : resetAt.toEpochMilli())
        .toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a registered topic, or were written by a
   *     newer version
   */
  static RegisteredTopic decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a record of topic metrics", VERSION, in.readByte());
    String tenant = in.readString();
    String topic = in.readString();
    Instant createdAt = Instant.ofEpochMilli(in.readVarint());
    long resetMillis = in.readVarint();
    in.requireEnd();
    @Nullable Instant resetAt = resetMillis == 0 ? null : Instant.ofEpochMilli(resetMillis);
    return new RegisteredTopic(tenant, topic, createdAt, resetAt);
  }
}
