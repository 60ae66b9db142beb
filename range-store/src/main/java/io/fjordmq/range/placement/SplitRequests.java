package io.fjordmq.range.placement;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;
import io.fjordmq.range.Timers;
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
 * Splits that an operator asks for, at any node: the leader of the range is asked where its load,
 * or if it is idle what it holds, would be halved; then the leader of the metadata has it done.
 * Thread-safe; does not block.
 *
 * <pre>
 * request: u8 format, 1 | u8 kind: 1 where, 2 do it | text store | varint range number
 *          -- do it: block key
 * answer to where: u8 format, 1 | u8 1: block key, 2: UTF-8 of why there is none
 *          nothing if this node does not lead the range
 * answer to do it: nothing; it is done
 * </pre>
 */
public final class SplitRequests implements PeerServices.Handler {
  /** What the service is called between nodes. */
  public static final String NAME = "split";

  private static final int FORMAT = 1;
  private static final int WHERE = 1;
  private static final int DO_IT = 2;
  private static final byte FOUND = 1;
  private static final byte NONE = 2;
  private static final byte[] NOTHING = new byte[0];

  private final Membership membership;
  private final PeerCalls peers;
  private final Halvings halvings;
  private final BiFunction<RangeId, byte[], CompletableFuture<Void>> driver;
  private final Supplier<@Nullable NodeId> metadataLeader;
  private final Timers timers;
  private final Duration whereTimeout;
  private final Duration splitTimeout;

  /**
   * Where ranges that this node leads would be split; empty of one that it does not lead. Does not
   * block.
   */
  @FunctionalInterface
  interface Halvings {
    CompletableFuture<Optional<SplitMonitor.Halving>> of(RangeId range);
  }

  /**
   * @param shapes of the ranges that this node leads
   * @param metadataLeader null if nobody is known to lead the metadata
   */
  public SplitRequests(
      Membership membership,
      PeerCalls peers,
      SplitMonitor shapes,
      PlacementDriver driver,
      Supplier<@Nullable NodeId> metadataLeader,
      Timers timers,
      PlacementSettings settings) {
    this(membership, peers, shapes::halving, driver::split, metadataLeader, timers, settings);
  }

  SplitRequests(
      Membership membership,
      PeerCalls peers,
      Halvings halvings,
      BiFunction<RangeId, byte[], CompletableFuture<Void>> driver,
      Supplier<@Nullable NodeId> metadataLeader,
      Timers timers,
      PlacementSettings settings) {
    this.membership = membership;
    this.peers = peers;
    this.halvings = halvings;
    this.driver = driver;
    this.metadataLeader = metadataLeader;
    this.timers = timers;
    this.whereTimeout = settings.callTimeout();
    this.splitTimeout = settings.stepTimeout();
  }

  /** Answers other nodes from now on. */
  public void serve(PeerServices services) {
    services.serve(NAME, this);
  }

  /**
   * Splits a range where that halves its load, or what it holds. Fails with an {@link
   * IllegalStateException} whose message says why it was not split, or that it is not known.
   *
   * @return where, as a key
   */
  public CompletableFuture<byte[]> split(RangeId range) {
    return where(range).thenCompose(key -> doIt(range, key).thenApply(done -> key));
  }

  private CompletableFuture<byte[]> where(RangeId range) {
    byte[] request = request(WHERE, range, NOTHING);
    Map<NodeId, byte[]> answers = new ConcurrentHashMap<>();
    Map<NodeId, String> silent = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (NodeId node : membership.members().alive()) {
      asked.add(
          askWhere(node, request)
              .handle(
                  (answer, failure) ->
                      failure == null
                          ? answers.put(node, answer)
                          : silent.put(node, reason(failure))));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> found(range, answers, silent));
  }

  private static byte[] found(
      RangeId range, Map<NodeId, byte[]> answers, Map<NodeId, String> silent) {
    for (byte[] answer : answers.values()) {
      if (answer.length > 0) {
        ByteReader in = new ByteReader(answer);
        StoredFormat.require("answer about a split", FORMAT, in);
        int kind = in.readByte();
        if (kind == FOUND) {
          byte[] key = in.readBlock();
          in.requireEnd();
          return key;
        } else if (kind == NONE) {
          byte[] why = in.readBytes(in.remaining());
          throw new IllegalStateException(new String(why, StandardCharsets.UTF_8));
        }
        throw NewerFormException.unknownKind("answer about a split", kind);
      }
    }
    throw new IllegalStateException(
        silent.isEmpty()
            ? "no node leads range %s for longer than a second; try again in a moment"
                .formatted(range)
            : "range %s was not split: none of the nodes that answered leads it; not answered: %s;"
                    .formatted(range, silent)
                + " try again, and if that fails, too, check these nodes and their disks");
  }

  private CompletableFuture<byte[]> doIt(RangeId range, byte[] key) {
    NodeId leader = metadataLeader.get();
    if (leader == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("nobody leads the metadata; ask again in a moment"));
    }
    return ask(leader, request(DO_IT, range, key), splitTimeout);
  }

  private CompletableFuture<byte[]> ask(NodeId node, byte[] request, Duration timeout) {
    return node.equals(membership.self())
        ? handle(node, request)
        : peers.ask(node, NAME, request, timeout);
  }

  /** This node is asked, too, and its storage may be as slow as that of another. */
  private CompletableFuture<byte[]> askWhere(NodeId node, byte[] request) {
    CompletableFuture<byte[]> answer = ask(node, request, whereTimeout);
    if (!node.equals(membership.self()) || answer.isDone()) {
      return answer;
    }
    CompletableFuture<byte[]> bounded = answer.copy();
    String why = "no answer within " + whereTimeout.toMillis() + " ms";
    timers.schedule(
        whereTimeout.toMillis(),
        () -> bounded.completeExceptionally(new IllegalStateException(why)));
    return bounded;
  }

  private static byte[] request(int kind, RangeId range, byte[] key) {
    ByteWriter out = new ByteWriter(32 + key.length);
    out.writeByte(FORMAT).writeByte(kind).writeString(range.store()).writeVarint(range.number());
    return kind == DO_IT ? out.writeBlock(key).toByteArray() : out.toByteArray();
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      ByteReader in = new ByteReader(request);
      StoredFormat.require("request to split", FORMAT, in);
      int kind = in.readByte();
      RangeId range = new RangeId(in.readString(), in.readVarint());
      if (kind == WHERE) {
        in.requireEnd();
        return halvings
            .of(range)
            .thenApply(halving -> halving.map(SplitRequests::answer).orElse(NOTHING));
      } else if (kind != DO_IT) {
        throw NewerFormException.unknownKind("request to split", kind);
      }
      byte[] key = in.readBlock();
      in.requireEnd();
      return driver.apply(range, key).thenApply(done -> NOTHING);
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static byte[] answer(SplitMonitor.Halving halving) {
    byte[] key = halving.key();
    ByteWriter out = new ByteWriter(64).writeByte(FORMAT);
    return key == null
        ? out.writeByte(NONE)
            .writeBytes(halving.whyNot().getBytes(StandardCharsets.UTF_8))
            .toByteArray()
        : out.writeByte(FOUND).writeBlock(key).toByteArray();
  }

  private static String reason(Throwable failure) {
    Throwable cause = failure.getCause();
    return String.valueOf((cause == null ? failure : cause).getMessage());
  }
}
