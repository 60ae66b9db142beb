package io.fjordmq.range.placement;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
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
 * What a node says of all replicas that it holds.
 *
 * <pre>
 * u8     format, 6; 5, which is read, too, had no bytes in its shapes; 4, which is read, too, had no broken replicas; 3, which is read, too, had no writes in its shapes, and nothing of merges: its
 *        nodes merged no ranges; 2, which is read, too, had no shapes: its nodes did not split
 *        ranges by their load; 1, which is read, too, had neither the next nor keys: they could not
 *        split ranges
 * varint version of the metadata that the node knows
 * varint replicas, then of each:
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
 *   u8     1 if the group's replicas follow, 0 if they are not known
 *   -- if so: varint voters, then as many texts; varint learners, then as many texts; ascending
 *   text   why it is halted, empty if it is not
 *   u8     1 if it is broken and shall be replaced by an empty one
 *   u8     0 if it goes on; if it stands still to be merged: 1 so far, 2 durably
 *   -- if it stands still: varint number of the left neighbour; varint epoch version of that
 *   u8     1 if its {@link ShapeReport} follows
 * varint retired ranges, then of each:
 *   text   store
 *   varint range number
 * </pre>
 *
 * @param metadata version that the node knows; what it says of who was removed since does not count
 * @param replicas at most {@link #MAX_REPLICAS}
 * @param retired ranges that had a replica there, which is not forgotten
 */
public record RangeReports(long metadata, List<ReplicaReport> replicas, Set<RangeId> retired) {
  /** More replicas than this no node can tell of. */
  public static final int MAX_REPLICAS = 20_000;

  private static final int FORMAT = 6;
  static final int WITHOUT_BYTES = 5;
  private static final int WITHOUT_BROKEN = 4;
  static final int WITHOUT_WRITES = 3;
  private static final int WITHOUT_SHAPES = 2;
  private static final int WITHOUT_KEYS = 1;
  private static final int GOES_ON = 0;
  private static final int STANDS = 1;
  private static final int STANDS_DURABLY = 2;
  private static final int LEAST_BYTES = 10;
  private static final int MAX_FAILURE_CHARACTERS = 300;

  /**
   * @throws IllegalArgumentException if there are too many
   */
  public RangeReports {
    if (replicas.size() > MAX_REPLICAS) {
      throw new IllegalArgumentException(
          replicas.size() + " replicas on one node; at most " + MAX_REPLICAS + " can be reported");
    }
    replicas = List.copyOf(replicas);
    retired = Set.copyOf(retired);
  }

  /**
   * What there is now.
   *
   * @param metadata they are known up to this version
   * @param shapes what this node wants for ranges that it leads
   */
  public static RangeReports of(RangeStore store, long metadata, Map<RangeId, ShapeReport> shapes) {
    return new RangeReports(
        metadata,
        store.status().stream()
            .map(status -> ReplicaReport.of(status, shapes.get(status.descriptor().id())))
            .toList(),
        store.retired());
  }

  @Nullable ReplicaReport find(RangeId range) {
    return replicas.stream()
        .filter(replica -> replica.range().equals(range))
        .findFirst()
        .orElse(null);
  }

  public byte[] encode() {
    ByteWriter out = new ByteWriter(16 + 96 * replicas.size());
    out.writeByte(FORMAT).writeVarint(metadata).writeVarint(replicas.size());
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
    ShapeReport shape = replica.shape();
    out.writeByte(shape == null ? 0 : 1);
    if (shape != null) {
      shape.write(out);
    }
  }

  private static void writeMerging(ByteWriter out, ReplicaStatus.@Nullable Merging merging) {
    if (merging == null) {
      out.writeByte(GOES_ON);
    } else {
      out.writeByte(merging.durable() ? STANDS_DURABLY : STANDS);
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
   * @throws MalformedBytesException if the bytes are no reports
   */
  public static RangeReports decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    int format = in.readByte();
    if (format < WITHOUT_KEYS || format > WITHOUT_BYTES) {
      NewerFormException.require("range reports", FORMAT, format);
    }
    long metadata = format == WITHOUT_KEYS ? 0 : in.readVarint();
    int count = in.readCount(LEAST_BYTES);
    if (count > MAX_REPLICAS) {
      throw new MalformedBytesException(count + " replicas on one node");
    }
    List<ReplicaReport> replicas = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      replicas.add(read(in, format));
    }
    Set<RangeId> retired = new HashSet<>();
    for (int left = in.readCount(2); left > 0; left--) {
      retired.add(new RangeId(in.readString(), in.readVarint()));
    }
    in.requireEnd();
    return new RangeReports(metadata, replicas, retired);
  }

  private static ReplicaReport read(ByteReader in, int format) {
    RangeId range = new RangeId(in.readString(), in.readVarint());
    RangeEpoch epoch = new RangeEpoch(in.readVarint(), in.readVarint());
    KeyInterval keys = format == WITHOUT_KEYS ? KeyInterval.ALL : KeyInterval.read(in);
    ReplicaStatus.Role role = role(in.readByte());
    long term = in.readVarint();
    long appliedIndex = in.readVarint();
    long lastIndex = in.readVarint();
    ReplicaSet set = in.readByte() == 0 ? null : readSet(in);
    String failure = in.readString();
    boolean broken = format > WITHOUT_BROKEN && in.readByte() != 0;
    ReplicaStatus.Merging merging = format > WITHOUT_WRITES ? readMerging(range, in) : null;
    boolean shaped = format > WITHOUT_SHAPES && in.readByte() != 0;
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
        shaped ? ShapeReport.read(in, keys, format) : null,
        broken);
  }

  private static ReplicaStatus.@Nullable Merging readMerging(RangeId range, ByteReader in) {
    int still = in.readByte();
    if (still == GOES_ON) {
      return null;
    } else if (still > STANDS_DURABLY) {
      throw NewerFormException.unknownKind("merge of a range", still);
    }
    RangeId left = new RangeId(range.store(), in.readVarint());
    return new ReplicaStatus.Merging(left, in.readVarint(), still == STANDS_DURABLY);
  }

  private static ReplicaStatus.Role role(int number) {
    ReplicaStatus.Role[] roles = ReplicaStatus.Role.values();
    if (number >= roles.length) {
      throw new MalformedBytesException("unknown role of a replica: " + number);
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
