package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Accepts an operator's requests to list or cancel the steps that placement has to postpone, on any
 * node; the metadata leader handles the requests. Thread-safe; does not block.
 *
 * <pre>
 * request: u8 format, 1 | u8 kind: 1 list, 2 cancel -- cancel: text store | varint range number
 * response to list:   u8 format, 1 | varint steps, then for each a {@link PendingStep}
 * response to cancel: empty; sent when the step is canceled
 * </pre>
 */
public final class PendingStepRequests implements PeerServices.Handler {
  /** Name of this service between nodes. */
  public static final String NAME = "pending";

  private static final int FORMAT = 1;
  private static final int LIST = 1;
  private static final int CANCEL = 2;
  private static final int MIN_STEP_BYTES = 6;

  /** Maximum time that the status page waits for the list. */
  private static final Duration LIST_TIMEOUT = Duration.ofSeconds(1);

  /** Maximum number of steps in a response. */
  private static final int MAX_STEPS = 100;

  private final Membership membership;
  private final PeerCalls peers;
  private final Supplier<List<PendingStep>> pending;
  private final Consumer<RangeId> cancel;
  private final Supplier<@Nullable NodeId> metadataLeader;
  private final Duration cancelTimeout;

  /**
   * @param pending steps of this node's driver; throws if this node does not lead the metadata
   *     group
   * @param cancel cancels a step of this node's driver; throws if there is nothing to cancel
   * @param metadataLeader null if no leader of the metadata group is known
   */
  public PendingStepRequests(
      Membership membership,
      PeerCalls peers,
      Supplier<List<PendingStep>> pending,
      Consumer<RangeId> cancel,
      Supplier<@Nullable NodeId> metadataLeader,
      PlacementSettings settings) {
    this.membership = membership;
    this.peers = peers;
    this.pending = pending;
    this.cancel = cancel;
    this.metadataLeader = metadataLeader;
    this.cancelTimeout = settings.callTimeout();
  }

  /** Registers this service, so that this node responds to other nodes. */
  public void serve(PeerServices services) {
    services.serve(NAME, this);
  }

  /**
   * Returns the steps that placement has to postpone; fails if the metadata leader does not
   * respond.
   */
  public CompletableFuture<List<PendingStep>> list() {
    return call(new ByteWriter(2).writeByte(FORMAT).writeByte(LIST), LIST_TIMEOUT)
        .thenApply(PendingStepRequests::read);
  }

  /**
   * Cancels a merge of the range, or a load-driven move of its voters. Fails with an exception that
   * explains why there is nothing to cancel, or that the outcome is unknown.
   */
  public CompletableFuture<Void> cancel(RangeId range) {
    ByteWriter request = new ByteWriter(32).writeByte(FORMAT).writeByte(CANCEL);
    return call(request.writeString(range.store()).writeVarint(range.number()), cancelTimeout)
        .thenAccept(done -> {});
  }

  private CompletableFuture<byte[]> call(ByteWriter request, Duration timeout) {
    NodeId leader = metadataLeader.get();
    if (leader == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("the metadata group has no leader; retry later"));
    }
    return leader.equals(membership.self())
        ? handle(leader, request.toByteArray())
        : peers.call(leader, NAME, request.toByteArray(), timeout);
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      ByteReader in = new ByteReader(request);
      StoredFormat.require("pending steps request", FORMAT, in);
      int kind = in.readByte();
      if (kind == LIST) {
        in.requireEnd();
        return CompletableFuture.completedFuture(encode(pending.get()));
      } else if (kind == CANCEL) {
        RangeId range = new RangeId(in.readString(), in.readVarint());
        in.requireEnd();
        cancel.accept(range);
        return CompletableFuture.completedFuture(new byte[0]);
      }
      throw NewerFormatException.unknownKind("pending steps request", kind);
    } catch (MalformedBytesException | IllegalStateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static byte[] encode(List<PendingStep> steps) {
    List<PendingStep> first = steps.subList(0, Math.min(MAX_STEPS, steps.size()));
    ByteWriter out = new ByteWriter(64).writeByte(FORMAT).writeVarint(first.size());
    first.forEach(step -> step.write(out));
    return out.toByteArray();
  }

  private static List<PendingStep> read(byte[] response) {
    ByteReader in = new ByteReader(response);
    StoredFormat.require("pending steps response", FORMAT, in);
    List<PendingStep> steps = new ArrayList<>();
    for (int remaining = in.readCount(MIN_STEP_BYTES); remaining > 0; remaining--) {
      steps.add(PendingStep.read(in));
    }
    in.requireEnd();
    return steps;
  }
}
