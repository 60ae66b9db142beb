package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.StoredFormat;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds ranges whose clock is ahead of cluster time, because a leader with a wrong clock stamped
 * their entries, and makes their leaders set the clocks back. Thread-safe; does not block.
 *
 * <pre>
 * request: u8 format, 1 | u8 kind: 1 list, 2 reset
 *          -- reset: text store | varint range number
 * response to list:  u8 format, 1 | varint ranges led by the node, then for each: text store
 *                  | varint range number | varint milliseconds that it is ahead
 * response to reset: u8 format, 1 | varint milliseconds that it was ahead, 0 if it was not
 *                  empty if this node does not lead the range
 * </pre>
 */
public final class ClockRepairs implements PeerServices.Handler {
  /** Name of this service between nodes. */
  public static final String NAME = "clocks";

  private static final Logger LOG = LoggerFactory.getLogger(ClockRepairs.class);
  private static final int FORMAT = 1;
  private static final int LIST = 1;
  private static final int RESET = 2;
  private static final byte[] EMPTY_RESPONSE = new byte[0];

  private final Membership membership;
  private final PeerCalls peers;
  private final RangeStore ranges;
  private final InstantSource clusterTime;
  private final Duration timeout;

  public ClockRepairs(
      Membership membership,
      PeerCalls peers,
      RangeStore ranges,
      InstantSource clusterTime,
      PlacementSettings settings) {
    this.membership = membership;
    this.peers = peers;
    this.ranges = ranges;
    this.clusterTime = clusterTime;
    this.timeout = settings.callTimeout();
  }

  /** Registers this service, so that this node responds to other nodes. */
  public void serve(PeerServices services) {
    services.serve(NAME, this);
  }

  /**
   * Returns the ranges whose clock is ahead, and by how much. Nodes that do not respond are
   * omitted.
   */
  public CompletableFuture<Map<RangeId, Duration>> clocksAhead() {
    Map<RangeId, Duration> found = new TreeMap<>(java.util.Comparator.comparing(RangeId::toString));
    return callAll(request(LIST).toByteArray())
        .thenApply(
            responses -> {
              responses.forEach(response -> read(response, found));
              return found;
            });
  }

  private static void read(byte[] response, Map<RangeId, Duration> found) {
    ByteReader in = new ByteReader(response);
    StoredFormat.require("clock list", FORMAT, in);
    for (int remaining = in.readCount(3); remaining > 0; remaining--) {
      RangeId range = new RangeId(in.readString(), in.readVarint());
      found.put(range, Duration.ofMillis(in.readVarint()));
    }
    in.requireEnd();
  }

  /**
   * Sets the clock of a range back to cluster time. Fails with an exception whose message gives the
   * reason.
   *
   * @return how far the clock was set back
   */
  public CompletableFuture<Duration> resetClock(RangeId range) {
    ByteWriter out = request(RESET).writeString(range.store()).writeVarint(range.number());
    return callAll(out.toByteArray()).thenApply(responses -> readResetResponse(range, responses));
  }

  private static Duration readResetResponse(RangeId range, List<byte[]> responses) {
    for (byte[] response : responses) {
      if (response.length > 0) {
        ByteReader in = new ByteReader(response);
        StoredFormat.require("clock reset response", FORMAT, in);
        long millis = in.readVarint();
        in.requireEnd();
        if (millis == 0) {
          throw new IllegalStateException(
              "the clock of range " + range + " is not ahead of cluster time");
        }
        return Duration.ofMillis(millis);
      }
    }
    throw new IllegalStateException("no responding node leads range " + range + "; retry later");
  }

  private static ByteWriter request(int kind) {
    return new ByteWriter(32).writeByte(FORMAT).writeByte(kind);
  }

  /** Returns the responses of all nodes except those that failed. */
  private CompletableFuture<List<byte[]>> callAll(byte[] request) {
    List<CompletableFuture<byte[]>> calls = new ArrayList<>();
    for (NodeId node : membership.members().alive()) {
      calls.add(
          node.equals(membership.self())
              ? handle(node, request)
              : peers.call(node, NAME, request, timeout));
    }
    return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
        .handle(
            (all, someFailure) ->
                calls.stream()
                    .filter(response -> !response.isCompletedExceptionally())
                    .map(CompletableFuture::join)
                    .toList());
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      ByteReader in = new ByteReader(request);
      StoredFormat.require("clock request", FORMAT, in);
      int kind = in.readByte();
      if (kind == LIST) {
        in.requireEnd();
        return CompletableFuture.completedFuture(list());
      } else if (kind != RESET) {
        throw NewerFormatException.unknownKind("clock request", kind);
      }
      RangeId range = new RangeId(in.readString(), in.readVarint());
      in.requireEnd();
      return resetLocalClock(range);
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private byte[] list() {
    long now = clusterTime.millis();
    List<ReplicaStatus> ahead =
        ranges.status().stream()
            .filter(ReplicaStatus::leading)
            .filter(replica -> replica.aheadMillis(now) > 0)
            .toList();
    ByteWriter out = new ByteWriter(64).writeByte(FORMAT).writeVarint(ahead.size());
    for (ReplicaStatus replica : ahead) {
      RangeId range = replica.descriptor().id();
      out.writeString(range.store()).writeVarint(range.number());
      out.writeVarint(replica.aheadMillis(now));
    }
    return out.toByteArray();
  }

  private CompletableFuture<byte[]> resetLocalClock(RangeId range) {
    ReplicaStatus localLeader =
        ranges.status().stream()
            .filter(replica -> replica.leading() && replica.descriptor().id().equals(range))
            .findFirst()
            .orElse(null);
    if (localLeader == null) {
      return CompletableFuture.completedFuture(EMPTY_RESPONSE);
    } else if (localLeader.aheadMillis(clusterTime.millis()) == 0) {
      return CompletableFuture.completedFuture(encodeResponse(0));
    }
    CompletableFuture<byte[]> done = new CompletableFuture<>();
    byte[] entry = RangeEntry.encodeResetClock(localLeader.descriptor().epoch().version());
    ranges
        .transport()
        .propose(membership.self(), range, entry, result -> complete(done, range, result));
    return done;
  }

  private static void complete(CompletableFuture<byte[]> done, RangeId range, RangeResult result) {
    if (result instanceof RangeResult.Applied applied) {
      long resetByMillis = ByteBuffer.wrap(applied.responses().get(0)).getLong();
      LOG.warn(
          "Set the clock of a range back to cluster time byMs={} range={}", resetByMillis, range);
      done.complete(encodeResponse(resetByMillis));
    } else if (result instanceof RangeResult.NotLeader) {
      done.complete(EMPTY_RESPONSE);
    } else {
      done.completeExceptionally(new IllegalStateException(String.valueOf(result)));
    }
  }

  private static byte[] encodeResponse(long resetByMillis) {
    return new ByteWriter(12).writeByte(FORMAT).writeVarint(resetByMillis).toByteArray();
  }
}
