package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Accepts merge requests of an operator on any node; the metadata leader carries them out.
 * Thread-safe; does not block.
 *
 * <pre>
 * request: u8 format, 1 | text store | varint number of the left range
 * response: empty; sent when the merge is complete
 * </pre>
 */
public final class MergeRequests implements PeerServices.Handler {
  /** Name of this service between nodes. */
  public static final String NAME = "merge";

  private static final int FORMAT = 1;
  private static final byte[] EMPTY_RESPONSE = new byte[0];

  private final Membership membership;
  private final PeerCalls peers;
  private final Function<RangeId, CompletableFuture<Void>> driver;
  private final Supplier<@Nullable NodeId> metadataLeader;
  private final Duration timeout;

  /**
   * @param driver carries out the merge if this node leads the metadata group
   * @param metadataLeader null if no leader of the metadata group is known
   */
  public MergeRequests(
      Membership membership,
      PeerCalls peers,
      Function<RangeId, CompletableFuture<Void>> driver,
      Supplier<@Nullable NodeId> metadataLeader,
      PlacementSettings settings) {
    this.membership = membership;
    this.peers = peers;
    this.driver = driver;
    this.metadataLeader = metadataLeader;
    this.timeout =
        settings.mergeTimeout().plus(settings.mergeFreezeTimeout()).plus(settings.stepTimeout());
  }

  /** Registers this service, so that this node responds to other nodes. */
  public void serve(PeerServices services) {
    services.serve(NAME, this);
  }

  /**
   * Merges a range with the next one. Fails with an exception whose message explains why, or says
   * that the outcome is unknown.
   */
  public CompletableFuture<Void> merge(RangeId left) {
    NodeId leader = metadataLeader.get();
    if (leader == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("the metadata group has no leader; retry later"));
    } else if (leader.equals(membership.self())) {
      return driver.apply(left);
    }
    ByteWriter out = new ByteWriter(32).writeByte(FORMAT);
    byte[] request = out.writeString(left.store()).writeVarint(left.number()).toByteArray();
    return peers.call(leader, NAME, request, timeout).thenAccept(done -> {});
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      ByteReader in = new ByteReader(request);
      StoredFormat.require("merge request", FORMAT, in);
      RangeId left = new RangeId(in.readString(), in.readVarint());
      in.requireEnd();
      return driver.apply(left).thenApply(done -> EMPTY_RESPONSE);
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
