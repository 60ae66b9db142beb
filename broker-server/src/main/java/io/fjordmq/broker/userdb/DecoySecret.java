package io.fjordmq.broker.userdb;

import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.common.OperationException;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secret of the cluster from which the SCRAM salts of unknown users are derived, so that all
 * nodes give the same salt for a name. The first SCRAM login of an unknown user creates it, under
 * {@code mqtt-decoy-secret} in the metadata:
 *
 * <pre>
 * u8 version = 1 | 32 bytes secret
 * </pre>
 *
 * <p>Until it is written, or if this node cannot read it, a secret of this process takes its place.
 * Thread-safe.
 */
final class DecoySecret {
  static final String KEY = "mqtt-decoy-secret";
  private static final Logger LOG = LoggerFactory.getLogger(DecoySecret.class);
  private static final int VERSION = 1;
  private static final int BYTES = 32;
  private static final RecordType<byte[]> TYPE =
      new RecordType<>(KEY, "the secret for unknown users", DecoySecret::decode);

  private final ReplicatedRecords<byte[]> records;
  private final Supplier<MetadataView> views;
  private final byte[] own = new byte[BYTES];
  private final AtomicBoolean creating = new AtomicBoolean();

  DecoySecret(MetadataClient metadata) {
    records = new ReplicatedRecords<>(metadata, TYPE);
    views = metadata::view;
    new SecureRandom().nextBytes(own);
  }

  static byte[] encode(byte[] secret) {
    return new ByteWriter(1 + BYTES).writeByte(VERSION).writeBytes(secret).toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a secret, or were written by a newer
   *     version
   */
  static byte[] decode(byte[] record) {
    ByteReader in = new ByteReader(record);
    NewerFormatException.require("the secret for unknown users", VERSION, in.readByte());
    byte[] secret = in.readBytes(BYTES);
    in.requireEnd();
    return secret;
  }

  /** Returns the secret; creates it if there is none. */
  byte[] get() {
    MetadataRecord record = views.get().get(KEY);
    if (record == null) {
      create();
      return own;
    }
    try {
      return decode(record.value());
    } catch (MalformedBytesException e) {
      return own;
    }
  }

  private void create() {
    if (creating.compareAndSet(false, true)) {
      records
          .create(KEY, encode(own), "another node created the secret")
          .whenComplete(
              (written, failure) -> {
                creating.set(false);
                if (failure != null && !OperationException.isAny(failure, Kind.EXISTS)) {
                  LOG.debug("Cannot write the secret for unknown users; retrying later", failure);
                }
              });
    }
  }
}
