package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import org.jspecify.annotations.Nullable;

/**
 * A response of the metadata leader to a {@link LeaderRequest}. Each starts with its kind as one
 * byte.
 */
sealed interface LeaderResponse {

  byte[] encode();

  /**
   * The node that received the request is not the leader.
   *
   * @param leader the presumed leader; null if unknown
   */
  record NotLeader(@Nullable NodeId leader) implements LeaderResponse {
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
   * @param appliedByAll the metadata version that every counted node has applied
   * @param clusterMillis cluster time when the leader responded
   */
  record Renewed(long appliedByAll, long clusterMillis) implements LeaderResponse {
    @Override
    public byte[] encode() {
      return new ByteWriter(24)
          .writeByte(10) // kind 2 had no cluster time
          .writeVarint(appliedByAll)
          .writeLong(clusterMillis)
          .toByteArray();
    }
  }

  /**
   * The lease is not renewed, for example because the node is too far behind the metadata or being
   * marked DOWN.
   */
  record NotRenewed(String reason) implements LeaderResponse {
    @Override
    public byte[] encode() {
      return new ByteWriter(64).writeByte(3).writeString(reason).toByteArray();
    }
  }

  /**
   * The node is registered with a new incarnation.
   *
   * @param version the metadata version with the registration
   */
  record Registered(long incarnation, long version) implements LeaderResponse {
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
   * The last incarnation of the node that the cluster knows. In response to a registration: it was
   * rejected, because the node's last known incarnation differs. In response to a renewal: the
   * renewed incarnation has ended. The metadata also contains this, but a node that went DOWN
   * before it had a replica cannot read it there.
   */
  record KnownIncarnation(long incarnation) implements LeaderResponse {
    @Override
    public byte[] encode() {
      return new ByteWriter(16).writeByte(5).writeVarint(incarnation).toByteArray();
    }
  }

  /** The outcome of a committed write. */
  record Written(WriteResult result) implements LeaderResponse {
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

  /** The request failed, or its outcome is unknown. */
  record Failed(ConsensusException.Kind kind, String reason) implements LeaderResponse {
    @Override
    public byte[] encode() {
      return new ByteWriter(64)
          .writeByte(8)
          .writeString(kind.name())
          .writeString(reason)
          .toByteArray();
    }
  }

  /** The node has been permanently removed from the cluster; the request was rejected. */
  record Removed() implements LeaderResponse {
    @Override
    public byte[] encode() {
      return new byte[] {9};
    }
  }

  /**
   * Cluster time was set to the median wall clock.
   *
   * @param advancedMillis time by which it advanced; positive
   */
  record ClockAccepted(long advancedMillis) implements LeaderResponse {
    @Override
    public byte[] encode() {
      return new ByteWriter(16).writeByte(11).writeVarint(advancedMillis).toByteArray();
    }
  }

  /**
   * The request was refused and will be refused again: the node cannot be a member with its
   * version, or the level cannot be raised.
   *
   * @param reason the reason, and what to do
   */
  record Refused(String reason) implements LeaderResponse {
    @Override
    public byte[] encode() {
      return new ByteWriter(64).writeByte(12).writeString(reason).toByteArray();
    }
  }

  /**
   * The cluster has this level; it may have had it before.
   *
   * @param level the level
   */
  record LevelRaised(int level) implements LeaderResponse {
    @Override
    public byte[] encode() {
      return new ByteWriter(8).writeByte(13).writeVarint(level).toByteArray();
    }
  }

  /**
   * @throws MalformedBytesException if the bytes are not a valid response
   */
  static LeaderResponse decode(byte[] bytes) {
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
        case 11 -> new ClockAccepted(in.readVarint());
        case 12 -> new Refused(in.readString());
        case 13 -> new LevelRaised(in.readInt());
        default ->
            throw NewerFormatException.unknownKind("response from the metadata leader", kind);
      };
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("invalid response from the metadata leader", e);
    }
  }
}
