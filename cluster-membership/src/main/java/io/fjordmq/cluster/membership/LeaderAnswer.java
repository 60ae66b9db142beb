package io.fjordmq.cluster.membership;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.WriteResult;
import org.jspecify.annotations.Nullable;

/**
 * What the leader of the metadata answers to a {@link LeaderRequest}; each begins with the number
 * of its kind.
 */
sealed interface LeaderAnswer {

  byte[] encode();

  /**
   * The node that was asked does not lead.
   *
   * @param leader who may; null if it does not know
   */
  record NotLeader(@Nullable NodeId leader) implements LeaderAnswer {
    @Override
    public byte[] encode() {
      return new ByteWriter(24)
          .writeByte(1)
          .writeString(leader == null ? "" : leader.value())
          .toByteArray();
    }
  }

  /**
   * The lease is renewed.
   *
   * @param appliedByAll the version that every living node knows
   * @param clusterMillis cluster time when the leader answered
   */
  record Renewed(long appliedByAll, long clusterMillis) implements LeaderAnswer {
    @Override
    public byte[] encode() {
      return new ByteWriter(24)
          .writeByte(10) // 2 had no time
          .writeVarint(appliedByAll)
          .writeLong(clusterMillis)
          .toByteArray();
    }
  }

  /** The lease is not renewed: that life is far behind the metadata, or about to be over. */
  record NotRenewed(String why) implements LeaderAnswer {
    @Override
    public byte[] encode() {
      return new ByteWriter(64).writeByte(3).writeString(why).toByteArray();
    }
  }

  /**
   * A life has begun.
   *
   * @param version of the metadata that has it
   */
  record Registered(long incarnation, long version) implements LeaderAnswer {
    @Override
    public byte[] encode() {
      return new ByteWriter(24)
          .writeByte(4)
          .writeVarint(incarnation)
          .writeVarint(version)
          .toByteArray();
    }
  }

  /**
   * To a registration: no life has begun, the last one that the cluster knows is another than the
   * node knows. To a renewal: that life is over, the last one that the cluster knows is this. The
   * metadata say so, too, but perhaps never to this node: one that went DOWN before it was given a
   * replica of them has none.
   */
  record KnownIncarnation(long incarnation) implements LeaderAnswer {
    @Override
    public byte[] encode() {
      return new ByteWriter(16).writeByte(5).writeVarint(incarnation).toByteArray();
    }
  }

  /** How a write ended that the group has agreed on. */
  record Written(WriteResult result) implements LeaderAnswer {
    @Override
    public byte[] encode() {
      if (result instanceof WriteResult.Conflict conflict) {
        return new ByteWriter(64)
            .writeByte(7)
            .writeString(conflict.key())
            .writeVarint(conflict.actualVersion())
            .toByteArray();
      }
      long version = ((WriteResult.Applied) result).version();
      return new ByteWriter(16).writeByte(6).writeVarint(version).toByteArray();
    }
  }

  /** What was asked failed, or its outcome is not known. */
  record Failed(ConsensusException.Kind kind, String why) implements LeaderAnswer {
    @Override
    public byte[] encode() {
      return new ByteWriter(64)
          .writeByte(8)
          .writeString(kind.name())
          .writeString(why)
          .toByteArray();
    }
  }

  /** Nothing is done for the node: it is no member any more, and will never be one again. */
  record Removed() implements LeaderAnswer {
    @Override
    public byte[] encode() {
      return new byte[] {9};
    }
  }

  /**
   * @throws MalformedBytesException if it is none of these
   */
  static LeaderAnswer decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    try {
      int kind = in.readByte();
      return switch (kind) {
        case 1 -> {
          String leader = in.readString();
          yield new NotLeader(leader.isEmpty() ? null : new NodeId(leader));
        }
        case 3 -> new NotRenewed(in.readString());
        case 4 -> new Registered(in.readVarint(), in.readVarint());
        case 5 -> new KnownIncarnation(in.readVarint());
        case 6 -> new Written(new WriteResult.Applied(in.readVarint()));
        case 7 -> new Written(new WriteResult.Conflict(in.readString(), in.readVarint()));
        case 8 -> new Failed(ConsensusException.Kind.valueOf(in.readString()), in.readString());
        case 9 -> new Removed();
        case 10 -> new Renewed(in.readVarint(), in.readLong());
        default ->
            throw NewerFormException.unknownKind("answer of the leader of the metadata", kind);
      };
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("not an answer of the leader of the metadata", e);
    }
  }
}
