package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Accepts split requests of an operator on any node. The leader of the range finds the key that
 * halves its load, or its size if it is idle; then the metadata leader carries out the split.
 * Thread-safe; does not block.
 *
 * <pre>
 * request: u8 format, 1 | u8 kind: 1 find key, 2 split | text store | varint range number
 *          -- split: block key
 * response to find key: u8 format, 1 | u8 1: block key, 2: UTF-8 reason why there is none
 *                       empty if this node does not lead the range
 * response to split:    empty; sent when the range is split
 * </pre>
 */
public final class SplitRequests implements PeerServices.Handler {
  /** Name of this service between nodes. */
  public static final String NAME = "split";

  private static final int FORMAT = 1;
  private static final int FIND_KEY = 1;
  private static final int SPLIT = 2;
  private static final byte FOUND = 1;
  private static final byte NONE = 2;
  private static final byte[] EMPTY_RESPONSE = new byte[0];

  private final Membership membership;
  private final PeerCalls peers;
  private final SplitPointFinder splitPointFinder;
  private final BiFunction<RangeId, byte[], CompletableFuture<Void>> driver;
  private final Supplier<@Nullable NodeId> metadataLeader;
  private final Timers timers;
  private final Duration findTimeout;
  private final Duration splitTimeout;

  /** Finds split keys of ranges that this node leads; empty for other ranges. Does not block. */
  @FunctionalInterface
  interface SplitPointFinder {
    CompletableFuture<Optional<SplitPointSearch.SplitPoint>> find(RangeId range);
  }

  /**
   * @param monitor load of the ranges that this node leads
   * @param metadataLeader null if no leader of the metadata group is known
   */
  public SplitRequests(
      Membership membership,
      PeerCalls peers,
      SplitMonitor monitor,
      PlacementDriver driver,
      Supplier<@Nullable NodeId> metadataLeader,
      Timers timers,
      PlacementSettings settings) {
    this(membership, peers, monitor::splitPoint, driver::split, metadataLeader, timers, settings);
  }

  SplitRequests(
      Membership membership,
      PeerCalls peers,
      SplitPointFinder splitPointFinder,
      BiFunction<RangeId, byte[], CompletableFuture<Void>> driver,
      Supplier<@Nullable NodeId> metadataLeader,
      Timers timers,
      PlacementSettings settings) {
    this.membership = membership;
    this.peers = peers;
    this.splitPointFinder = splitPointFinder;
    this.driver = driver;
    this.metadataLeader = metadataLeader;
    this.timers = timers;
    this.findTimeout = settings.callTimeout();
    this.splitTimeout = settings.stepTimeout();
  }

  /** Registers this service, so that this node responds to other nodes. */
  public void serve(PeerServices services) {
    services.serve(NAME, this);
  }

  /**
   * Splits a range at the key that halves its load, or its size. Fails with an {@link
   * IllegalStateException} whose message explains why, or says that the outcome is unknown.
   *
   * @return first key of the new range
   */
  public CompletableFuture<byte[]> split(RangeId range) {
    return findKey(range).thenCompose(key -> split(range, key).thenApply(done -> key));
  }

  private CompletableFuture<byte[]> findKey(RangeId range) {
    byte[] request = request(FIND_KEY, range, EMPTY_RESPONSE);
    Map<NodeId, byte[]> responses = new ConcurrentHashMap<>();
    Map<NodeId, String> failures = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> requests = new ArrayList<>();
    for (NodeId node : membership.members().alive()) {
      requests.add(
          requestSplitKey(node, request)
              .handle(
                  (response, failure) ->
                      failure == null
                          ? responses.put(node, response)
                          : failures.put(node, reason(failure))));
    }
    return CompletableFuture.allOf(requests.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> readSplitKey(range, responses, failures));
  }

  private static byte[] readSplitKey(
      RangeId range, Map<NodeId, byte[]> responses, Map<NodeId, String> failures) {
    for (byte[] response : responses.values()) {
      if (response.length > 0) {
        ByteReader in = new ByteReader(response);
        StoredFormat.require("split key response", FORMAT, in);
        int kind = in.readByte();
        if (kind == FOUND) {
          byte[] key = in.readBlock();
          in.requireEnd();
          return key;
        } else if (kind == NONE) {
          byte[] reason = in.readBytes(in.remaining());
          throw new IllegalStateException(new String(reason, StandardCharsets.UTF_8));
        }
        throw NewerFormatException.unknownKind("split key response", kind);
      }
    }
    throw new IllegalStateException(
        failures.isEmpty()
            ? "no node has led range %s for longer than a second; retry later".formatted(range)
            : "range %s was not split: no responding node leads it; no response from: %s;"
                    .formatted(range, failures)
                + " retry; if that fails, check these nodes and their disks");
  }

  private CompletableFuture<byte[]> split(RangeId range, byte[] key) {
    NodeId leader = metadataLeader.get();
    if (leader == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("the metadata group has no leader; retry later"));
    }
    return call(leader, request(SPLIT, range, key), splitTimeout);
  }

  private CompletableFuture<byte[]> call(NodeId node, byte[] request, Duration timeout) {
    return node.equals(membership.self())
        ? handle(node, request)
        : peers.call(node, NAME, request, timeout);
  }

  /**
   * Requests the split key from a node. A call to this node is subject to the timeout as well,
   * because its storage may be as slow as that of any other node.
   */
  private CompletableFuture<byte[]> requestSplitKey(NodeId node, byte[] request) {
    CompletableFuture<byte[]> response = call(node, request, findTimeout);
    if (!node.equals(membership.self()) || response.isDone()) {
      return response;
    }
    CompletableFuture<byte[]> bounded = response.copy();
    String reason = "no response within " + findTimeout.toMillis() + " ms";
    timers.schedule(
        findTimeout.toMillis(),
        () -> bounded.completeExceptionally(new IllegalStateException(reason)));
    return bounded;
  }

  private static byte[] request(int kind, RangeId range, byte[] key) {
    ByteWriter out = new ByteWriter(32 + key.length);
    out.writeByte(FORMAT).writeByte(kind).writeString(range.store()).writeVarint(range.number());
    return kind == SPLIT ? out.writeBlock(key).toByteArray() : out.toByteArray();
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      ByteReader in = new ByteReader(request);
      StoredFormat.require("split request", FORMAT, in);
      int kind = in.readByte();
      RangeId range = new RangeId(in.readString(), in.readVarint());
      if (kind == FIND_KEY) {
        in.requireEnd();
        return splitPointFinder
            .find(range)
            .thenApply(
                splitPoint -> splitPoint.map(SplitRequests::encodeResponse).orElse(EMPTY_RESPONSE));
      } else if (kind != SPLIT) {
        throw NewerFormatException.unknownKind("split request", kind);
      }
      byte[] key = in.readBlock();
      in.requireEnd();
      return driver.apply(range, key).thenApply(done -> EMPTY_RESPONSE);
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static byte[] encodeResponse(SplitPointSearch.SplitPoint splitPoint) {
    byte[] key = splitPoint.key();
    ByteWriter out = new ByteWriter(64).writeByte(FORMAT);
    return key == null
        ? out.writeByte(NONE)
            .writeBytes(splitPoint.noSplitReason().getBytes(StandardCharsets.UTF_8))
            .toByteArray()
        : out.writeByte(FOUND).writeBlock(key).toByteArray();
  }

  private static String reason(Throwable failure) {
    Throwable cause = failure.getCause();
    return String.valueOf((cause == null ? failure : cause).getMessage());
  }
}
