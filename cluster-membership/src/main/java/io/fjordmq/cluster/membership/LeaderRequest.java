package io.fjordmq.cluster.membership;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.metadata.Change;
import java.util.List;

/**
 * What a node asks of the leader of the metadata.
 *
 * <pre>
 * u8 kind = 1 | varint incarnation | varint applied version       renewal
 * u8 kind = 2 | varint known incarnation | u16 port | host        registration
 * u8 kind = 3 | batch of changes                                  write
 * </pre>
 */
sealed interface LeaderRequest {

  byte[] encode();

  /**
   * Renews the lease of a life.
   *
   * @param applied the version of the metadata that this node knows
   */
  record Renewal(long incarnation, long applied) implements LeaderRequest {
    @Override
    public byte[] encode() {
      return new ByteWriter(24)
          .writeByte(1)
          .writeVarint(incarnation)
          .writeVarint(applied)
          .toByteArray();
    }
  }

  /**
   * Begins the next life.
   *
   * @param known of the last life that the node knows of, 0 if it knows none. It is registered only
   *     if that is so: a request that was repeated counts once
   */
  record Registration(long known, NodeAddress address) implements LeaderRequest {
    @Override
    public byte[] encode() {
      return new ByteWriter(64)
          .writeByte(2)
          .writeVarint(known)
          .writeShort(address.port())
          .writeString(address.host())
          .toByteArray();
    }
  }

  /** Writes to the metadata. */
  record Write(List<Change> batch) implements LeaderRequest {
    @Override
    public byte[] encode() {
      byte[] changes = Change.encode(batch);
      return new ByteWriter(1 + changes.length).writeByte(3).writeBytes(changes).toByteArray();
    }
  }

  /**
   * @throws MalformedBytesException if it is none of these
   */
  static LeaderRequest decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    try {
      int kind = in.readByte();
      return switch (kind) {
        case 1 -> new Renewal(in.readVarint(), in.readVarint());
        case 2 -> {
          long known = in.readVarint();
          int port = in.readShort() & 0xffff;
          yield new Registration(known, new NodeAddress(in.readString(), port));
        }
        case 3 -> new Write(Change.decode(in.readBytes(in.remaining())));
        default ->
            throw NewerFormException.unknownKind("request to the leader of the metadata", kind);
      };
    } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
      throw new MalformedBytesException("not a request to the leader of the metadata", e);
    }
  }
}
