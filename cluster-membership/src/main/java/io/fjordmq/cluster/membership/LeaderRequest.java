package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A request to the metadata leader.
 *
 * <pre>
 * u8 kind = 2 | varint known incarnation | u16 port | host        registration
 * u8 kind = 3 | batch of changes                                  write
 * u8 kind = 4 | varint incarnation | varint applied version       renewal; kind 1 had no clocks
 *             | u64 wall clock | u64 cluster time | u8 0 if it is a guess, 1 if it is known,
 *                                                      2 if it was saved before the last stop
 * u8 kind = 5 | as kind 4 | varint count, then ids of nodes       renewal with unreachable nodes
 * u8 kind = 6                                                     accept the wall clocks
 * u8 kind = 7 | as kind 2 | u16 lowest | u16 highest              registration with levels
 * u8 kind = 8 | varint level, 0 for the highest possible          raise the cluster level
 * </pre>
 */
sealed interface LeaderRequest {

  byte[] encode();

  /**
   * Renews the lease of an incarnation.
   *
   * @param appliedVersion the metadata version that this node has applied
   * @param clock the clocks of this node
   * @param unreachable members that this node cannot reach, including those that are DOWN
   */
  record Renewal(long incarnation, long appliedVersion, ClockReport clock, Set<NodeId> unreachable)
      implements LeaderRequest {

    public Renewal {
      unreachable = Set.copyOf(unreachable);
    }

    @Override
    public byte[] encode() {
      ByteWriter out =
          new ByteWriter(40)
              .writeByte(unreachable.isEmpty() ? 4 : 5)
              .writeVarint(incarnation)
              .writeVarint(appliedVersion)
              .writeLong(clock.wallMillis())
              .writeLong(clock.clusterMillis())
              .writeByte(clock.source().ordinal());
      if (!unreachable.isEmpty()) {
        out.writeVarint(unreachable.size());
        unreachable.stream().map(NodeId::value).sorted().forEach(out::writeString);
      }
      return out.toByteArray();
    }

    private static Renewal decode(ByteReader in, boolean withUnreachable) {
      long incarnation = in.readVarint();
      long applied = in.readVarint();
      ClockReport clock =
          new ClockReport(in.readLong(), in.readLong(), ClockReport.Source.of(in.readByte()));
      Set<NodeId> unreachable = new HashSet<>();
      for (int remaining = withUnreachable ? in.readCount(1) : 0; remaining > 0; remaining--) {
        unreachable.add(new NodeId(in.readString()));
      }
      return new Renewal(incarnation, applied, clock, unreachable);
    }
  }

  /**
   * Registers the next incarnation.
   *
   * @param knownIncarnation the last incarnation that the node knows, 0 if none. The leader
   *     registers the node only if this matches the metadata, so that a repeated request counts
   *     once
   * @param levels the cluster levels that the node supports
   */
  record Registration(long knownIncarnation, NodeAddress address, SupportedLevels levels)
      implements LeaderRequest {
    @Override
    public byte[] encode() {
      boolean hasLevels = !levels.equals(SupportedLevels.FIRST_ONLY);
      ByteWriter out =
          new ByteWriter(64)
              .writeByte(hasLevels ? 7 : 2)
              .writeVarint(knownIncarnation)
              .writeShort(address.port())
              .writeString(address.host());
      if (hasLevels) {
        out.writeShort(levels.lowest()).writeShort(levels.highest());
      }
      return out.toByteArray();
    }

    private static Registration decode(ByteReader in, boolean hasLevels) {
      long known = in.readVarint();
      int port = in.readShort() & 0xffff;
      NodeAddress address = new NodeAddress(in.readString(), port);
      SupportedLevels levels =
          hasLevels
              ? new SupportedLevels(
                  in.readShort() & SupportedLevels.MAX, in.readShort() & SupportedLevels.MAX)
              : SupportedLevels.FIRST_ONLY;
      return new Registration(known, address, levels);
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

  /** Sets cluster time to the median wall clock; an operator has confirmed that it is right. */
  record AcceptClock() implements LeaderRequest {
    @Override
    public byte[] encode() {
      return new byte[] {6};
    }
  }

  /**
   * Raises the cluster level, on behalf of an operator.
   *
   * @param level the new level; 0 for the highest that all members support
   */
  record RaiseLevel(int level) implements LeaderRequest {
    @Override
    public byte[] encode() {
      return new ByteWriter(8).writeByte(8).writeVarint(level).toByteArray();
    }
  }

  /**
   * @throws MalformedBytesException if the bytes are not a valid request
   */
  static LeaderRequest decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    try {
      int kind = in.readByte();
      return switch (kind) {
        case 2 -> Registration.decode(in, false);
        case 3 -> new Write(Change.decode(in.readBytes(in.remaining())));
        case 4 -> Renewal.decode(in, false);
        case 5 -> Renewal.decode(in, true);
        case 6 -> new AcceptClock();
        case 7 -> Registration.decode(in, true);
        case 8 -> new RaiseLevel(in.readInt());
        default -> throw NewerFormatException.unknownKind("request to the metadata leader", kind);
      };
    } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
      throw new MalformedBytesException("invalid request to the metadata leader", e);
    }
  }
}
