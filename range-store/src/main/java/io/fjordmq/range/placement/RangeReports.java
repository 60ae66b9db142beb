package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The report of a node about all its replicas.
 *
 * <pre>
 * u8     format, 6. Older ones are read as well: 5 has no bytes in its load; 4 has no broken
 *        replicas; 3 has no writes in its load and no merges; 2 has no load, since its nodes
 *        did not split ranges by load; 1 has neither the metadata version nor keys, since its
 *        nodes could not split ranges
 * varint metadata version that the node knows
 * varint replicas, then for each:
 *   text   store
 *   varint range number
 *   varint epoch version
 *   varint epoch replicas
 *   block  first key
 *   u8     1 if an end key follows
 *   block  end key
 *   u8     role: 0 leader, 1 voter, 2 learner, 3 none
 *   varint term
 *   varint applied index
 *   varint last log index
 *   u8     1 if the group's replicas follow, 0 if they are unknown
 *   -- if so: varint voters, then as many texts; varint learners, then as many texts; ascending
 *   text   why the replica is halted, empty if it is not
 *   u8     1 if it is broken and is to be replaced by an empty one
 *   u8     0 if the range is not frozen, 1 if it is frozen for a merge, 2 if durably so
 *   -- if frozen: varint number of the left neighbor; varint epoch version of the neighbor
 *   u8     1 if its {@link RangeLoadReport} follows
 * varint retired ranges, then for each:
 *   text   store
 *   varint range number
 * </pre>
 *
 * @param metadataVersion metadata version that the node knows; the driver ignores the report of a
 *     node that does not know of a removal yet
 * @param replicas at most {@link #MAX_REPLICAS}
 * @param retired ranges whose replica was removed from the node and is not forgotten yet
 */
public record RangeReports(
    long metadataVersion, List<ReplicaReport> replicas, Set<RangeId> retired) {
  /** Maximum number of replicas that a node can report. */
  public static final int MAX_REPLICAS = 20_000;

  private static final int FORMAT = 6;
  static final int FORMAT_WITHOUT_BYTES = 5;
  private static final int FORMAT_WITHOUT_BROKEN = 4;
  static final int FORMAT_WITHOUT_WRITES = 3;
  private static final int FORMAT_WITHOUT_LOAD = 2;
  private static final int FORMAT_WITHOUT_KEYS = 1;
  private static final int NOT_FROZEN = 0;
  private static final int FROZEN = 1;
  private static final int FROZEN_DURABLY = 2;
  private static final int MIN_REPLICA_BYTES = 10;
  private static final int MAX_FAILURE_CHARACTERS = 300;

  /**
   * @throws IllegalArgumentException if there are too many replicas
   */
  public RangeReports {
    if (replicas.size() > MAX_REPLICAS) {
      throw new IllegalArgumentException(
          "cannot report "
              + replicas.size()
              + " replicas; the maximum per node is "
              + MAX_REPLICAS);
    }
    replicas = List.copyOf(replicas);
    retired = Set.copyOf(retired);
  }

  /**
   * Returns the current replicas of this node.
   *
   * @param metadata metadata version that this node knows
   * @param loads load and split or merge requests of the ranges that this node leads
   */
  public static RangeReports of(
      RangeStore store, long metadata, Map<RangeId, RangeLoadReport> loads) {
    return new RangeReports(
        metadata,
        store.status().stream()
            .map(status -> ReplicaReport.of(status, loads.get(status.descriptor().id())))
            .toList(),
        store.localReplicas().retired());
  }

  @Nullable ReplicaReport find(RangeId range) {
    return replicas.stream()
        .filter(replica -> replica.range().equals(range))
        .findFirst()
        .orElse(null);
  }

  public byte[] encode() {
    ByteWriter out = new ByteWriter(16 + 96 * replicas.size());
    out.writeByte(FORMAT).writeVarint(metadataVersion).writeVarint(replicas.size());
    replicas.forEach(replica -> write(out, replica));
    out.writeVarint(retired.size());
    retired.stream()
        .sorted(Comparator.comparing(RangeId::store).thenComparingLong(RangeId::number))
        .forEach(range -> out.writeString(range.store()).writeVarint(range.number()));
    return out.toByteArray();
  }

  private static void write(ByteWriter out, ReplicaReport replica) {
    out.writeString(replica.range().store()).writeVarint(replica.range().number());
    out.writeVarint(replica.epoch().version()).writeVarint(replica.epoch().replicas());
    replica.keys().write(out);
    out.writeByte(replica.role().ordinal()).writeVarint(replica.term());
    out.writeVarint(replica.appliedIndex()).writeVarint(replica.lastIndex());
    ReplicaSet set = replica.replicas();
    out.writeByte(set == null ? 0 : 1);
    if (set != null) {
      writeSet(out, set);
    }
    String failure = replica.failure() == null ? "" : replica.failure();
    out.writeString(failure.substring(0, Math.min(failure.length(), MAX_FAILURE_CHARACTERS)));
    out.writeByte(replica.broken() ? 1 : 0);
    writeMerging(out, replica.merging());
    RangeLoadReport load = replica.load();
    out.writeByte(load == null ? 0 : 1);
    if (load != null) {
      load.write(out);
    }
  }

  private static void writeMerging(ByteWriter out, ReplicaStatus.@Nullable Merging merging) {
    if (merging == null) {
      out.writeByte(NOT_FROZEN);
    } else {
      out.writeByte(merging.durable() ? FROZEN_DURABLY : FROZEN);
      out.writeVarint(merging.left().number()).writeVarint(merging.leftVersion());
    }
  }

  static void writeSet(ByteWriter out, ReplicaSet set) {
    writeNodes(out, set.voters());
    writeNodes(out, set.learners());
  }

  private static void writeNodes(ByteWriter out, Set<NodeId> nodes) {
    out.writeVarint(nodes.size());
    nodes.stream()
        .sorted(Comparator.comparing(NodeId::value))
        .forEach(node -> out.writeString(node.value()));
  }

  /**
   * @throws MalformedBytesException if the bytes are not a valid report
   */
  public static RangeReports decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    int format = in.readByte();
    if (format < FORMAT_WITHOUT_KEYS || format > FORMAT_WITHOUT_BYTES) {
      NewerFormatException.require("range reports", FORMAT, format);
    }
    long metadata = format == FORMAT_WITHOUT_KEYS ? 0 : in.readVarint();
    int count = in.readCount(MIN_REPLICA_BYTES);
    if (count > MAX_REPLICAS) {
      throw new MalformedBytesException("too many replicas in a report: " + count);
    }
    List<ReplicaReport> replicas = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      replicas.add(read(in, format));
    }
    Set<RangeId> retired = new HashSet<>();
    for (int remaining = in.readCount(2); remaining > 0; remaining--) {
      retired.add(new RangeId(in.readString(), in.readVarint()));
    }
    in.requireEnd();
    return new RangeReports(metadata, replicas, retired);
  }

  private static ReplicaReport read(ByteReader in, int format) {
    RangeId range = new RangeId(in.readString(), in.readVarint());
    RangeEpoch epoch = new RangeEpoch(in.readVarint(), in.readVarint());
    KeyInterval keys = format == FORMAT_WITHOUT_KEYS ? KeyInterval.ALL : KeyInterval.read(in);
    ReplicaStatus.Role role = role(in.readByte());
    long term = in.readVarint();
    long appliedIndex = in.readVarint();
    long lastIndex = in.readVarint();
    ReplicaSet set = in.readByte() == 0 ? null : readSet(in);
    String failure = in.readString();
    boolean broken = format > FORMAT_WITHOUT_BROKEN && in.readByte() != 0;
    ReplicaStatus.Merging merging = format > FORMAT_WITHOUT_WRITES ? readMerging(range, in) : null;
    boolean hasLoad = format > FORMAT_WITHOUT_LOAD && in.readByte() != 0;
    return new ReplicaReport(
        range,
        epoch,
        keys,
        role,
        term,
        set,
        appliedIndex,
        lastIndex,
        failure.isEmpty() ? null : failure,
        merging,
        hasLoad ? RangeLoadReport.read(in, keys, format) : null,
        broken);
  }

  private static ReplicaStatus.@Nullable Merging readMerging(RangeId range, ByteReader in) {
    int frozen = in.readByte();
    if (frozen == NOT_FROZEN) {
      return null;
    } else if (frozen > FROZEN_DURABLY) {
      throw NewerFormatException.unknownKind("freeze state of a range", frozen);
    }
    RangeId left = new RangeId(range.store(), in.readVarint());
    return new ReplicaStatus.Merging(left, in.readVarint(), frozen == FROZEN_DURABLY);
  }

  private static ReplicaStatus.Role role(int number) {
    ReplicaStatus.Role[] roles = ReplicaStatus.Role.values();
    if (number >= roles.length) {
      throw new MalformedBytesException("unknown replica role: " + number);
    }
    return roles[number];
  }

  static ReplicaSet readSet(ByteReader in) {
    return new ReplicaSet(readNodes(in), readNodes(in));
  }

  private static Set<NodeId> readNodes(ByteReader in) {
    int count = in.readCount(1);
    Set<NodeId> nodes = new HashSet<>();
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId(in.readString()));
    }
    return nodes;
  }
}
