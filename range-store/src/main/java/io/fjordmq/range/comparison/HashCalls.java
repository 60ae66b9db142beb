package io.fjordmq.range.comparison;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;
import io.fjordmq.range.store.HashReport;
import io.fjordmq.range.store.SliceHash;
import io.fjordmq.range.store.SliceHashes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Asks other nodes for the hashes that their replicas have computed, and answers them. Thread-safe;
 * does not block.
 *
 * <pre>
 * request:  u8 format, 1 | text store | varint range number | varint index of the entry
 * response: u8 format, 1 | u8 kind: 1 hashed, 2 pending, 3 missing
 *           -- hashed only:
 *           32 bytes hash | varint rows | u8 1 if more rows follow | block first row of these
 * </pre>
 */
final class HashCalls implements PeerServices.Handler {
  /** Name of this service between nodes. */
  static final String NAME = "replica-hashes";

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int FORMAT = 1;
  private static final int HASHED = 1;
  private static final int PENDING = 2;
  private static final int MISSING = 3;

  private final SliceHashes hashes;
  private final PeerCalls peers;

  HashCalls(SliceHashes hashes, PeerCalls peers) {
    this.hashes = hashes;
    this.peers = peers;
  }

  /** Registers this service, so that this node responds to other nodes. */
  void serve(PeerServices services) {
    services.serve(NAME, this);
  }

  /** Returns the hash of this node's replica. */
  HashReport ownHash(RangeId range, long index) {
    return hashes.find(range, index);
  }

  /** Asks another node. A node that cannot be reached, or is of an older version, has no hash. */
  CompletableFuture<HashReport> ask(NodeId node, RangeId range, long index) {
    byte[] request =
        new ByteWriter(32)
            .writeByte(FORMAT)
            .writeString(range.store())
            .writeVarint(range.number())
            .writeVarint(index)
            .toByteArray();
    return peers
        .call(node, NAME, request, TIMEOUT)
        .thenApply(HashCalls::decode)
        .exceptionally(failure -> new HashReport.Missing());
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      ByteReader in = new ByteReader(request);
      StoredFormat.require("replica hash request", FORMAT, in);
      RangeId range = new RangeId(in.readString(), in.readVarint());
      long index = in.readVarint();
      in.requireEnd();
      return CompletableFuture.completedFuture(encode(hashes.find(range, index)));
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  static byte[] encode(HashReport report) {
    ByteWriter out = new ByteWriter(64).writeByte(FORMAT);
    if (report instanceof HashReport.Hashed hashed) {
      SliceHash hash = hashed.hash();
      out.writeByte(HASHED).writeBytes(hash.hash()).writeVarint(hash.rows());
      byte[] next = hash.next();
      out.writeByte(next == null ? 0 : 1);
      if (next != null) {
        out.writeBlock(next);
      }
    } else {
      out.writeByte(report instanceof HashReport.Pending ? PENDING : MISSING);
    }
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a response
   */
  static HashReport decode(byte[] response) {
    ByteReader in = new ByteReader(response);
    StoredFormat.require("replica hash response", FORMAT, in);
    int kind = in.readByte();
    HashReport report =
        switch (kind) {
          case HASHED ->
              new HashReport.Hashed(
                  new SliceHash(
                      in.readBytes(SliceHash.BYTES),
                      in.readVarint(),
                      in.readByte() == 0 ? null : in.readBlock()));
          case PENDING -> new HashReport.Pending();
          case MISSING -> new HashReport.Missing();
          default -> throw NewerFormatException.unknownKind("replica hash response", kind);
        };
    in.requireEnd();
    return report;
  }
}
