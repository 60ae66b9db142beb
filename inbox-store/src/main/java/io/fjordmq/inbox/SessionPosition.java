package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.nio.charset.StandardCharsets;

/**
 * A position in the list of sessions, which is in the order of the store's keys: bucket, tenant,
 * client identifier, the latter two by code point. It need not belong to a session.
 *
 * @param bucket 0 to {@link InboxId#BUCKETS}, which is the bucket of {@link #END}
 */
public record SessionPosition(int bucket, String tenant, String clientId)
    implements Comparable<SessionPosition> {
  /** Before all sessions. */
  public static final SessionPosition START = startOf(0);

  /** After all sessions. */
  public static final SessionPosition END = startOf(InboxId.BUCKETS);

  /**
   * @throws IllegalArgumentException if there is no such bucket
   */
  public SessionPosition {
    if (bucket < 0 || bucket > InboxId.BUCKETS) {
      throw new IllegalArgumentException("no such bucket: " + bucket);
    }
  }

  /** Returns the position of a session. */
  public static SessionPosition of(InboxId id) {
    return new SessionPosition(id.bucket(), id.tenant(), id.clientId());
  }

  /** Returns the position directly after a session. */
  public static SessionPosition after(InboxId id) {
    // No identifier contains U+0000.
    return new SessionPosition(id.bucket(), id.tenant(), id.clientId() + '\0');
  }

  static SessionPosition startOf(int bucket) {
    return new SessionPosition(bucket, "", "");
  }

  /** Returns the position of the first session of a bucket, given a key of the bucket. */
  public static SessionPosition startOfBucket(byte[] key) {
    return startOf(InboxKeys.bucketOf(key));
  }

  /** Returns whether a session is before this position. */
  public boolean isAfter(InboxId id) {
    return of(id).compareTo(this) < 0;
  }

  @Override
  public int compareTo(SessionPosition other) {
    int byBucket = Integer.compare(bucket, other.bucket);
    return byBucket != 0 ? byBucket : compareNames(tenant, clientId, other.tenant, other.clientId);
  }

  /** Compares sessions of one bucket. */
  public static int compareNames(String tenantA, String clientA, String tenantB, String clientB) {
    int byTenant = compareText(tenantA, tenantB);
    return byTenant != 0 ? byTenant : compareText(clientA, clientB);
  }

  /** Compares by code point, like the UTF-8 encodings of the texts. */
  public static int compareText(String a, String b) {
    int common = Math.min(a.length(), b.length());
    for (int i = 0; i < common; i++) {
      char inA = a.charAt(i);
      char inB = b.charAt(i);
      if (inA != inB) {
        return rank(inA) - rank(inB);
      }
    }
    return a.length() - b.length();
  }

  /** Moves surrogates, which encode the highest code points, behind all other characters. */
  private static int rank(char unit) {
    return Character.isSurrogate(unit) ? unit + 0x1_0000 : unit;
  }

  /** Returns the first key of the store at or after this position; not for {@link #END}. */
  public byte[] key() {
    if (tenant.isEmpty() && clientId.isEmpty()) {
      return InboxKeys.bucketStart(bucket);
    }
    return new ByteWriter(48)
        .writeBytes(InboxKeys.tableStart(bucket, InboxKeys.STATE))
        .writeBytes(tenant.getBytes(StandardCharsets.UTF_8))
        .writeByte(0)
        .writeBytes(clientId.getBytes(StandardCharsets.UTF_8))
        .toByteArray();
  }

  /** Appends {@code varint bucket | string tenant | string client identifier}. */
  public void write(ByteWriter out) {
    out.writeVarint(bucket).writeString(tenant).writeString(clientId);
  }

  /** Reads a position written by {@link #write}. */
  public static SessionPosition read(ByteReader in) {
    return new SessionPosition(in.readInt(), in.readString(), in.readString());
  }
}
