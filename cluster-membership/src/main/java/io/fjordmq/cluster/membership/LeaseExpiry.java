package io.fjordmq.cluster.membership;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.NewerFormatException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerNetwork;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether another node serves clients while the lease of this node has expired. If no
 * node does, for example because the metadata have no leader, disconnecting clients would not help
 * them; if one does, the listeners are notified. Runs on the membership thread.
 *
 * <p>Only fresh responses count. Leases expire at slightly different times, and a new leader renews
 * them one after the other. Therefore another node must serve for {@value #CONFIRMING_HEARTBEATS}
 * heartbeats during which this node could not renew its lease.
 */
final class LeaseExpiry {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseExpiry.class);

  /*
   * The service "serving". Request:
   *
   *   u8  version, 1
   *
   * Response:
   *
   *   u8  version, 1
   *   u8  1 if the node serves clients at this moment, else 0
   */
  static final String SERVICE = "serving";
  private static final int VERSION = 1;

  private static final int CONFIRMING_HEARTBEATS = 2;

  private final NodeId self;
  private final MemberView members;
  private final PeerNetwork peers;
  private final MembershipSettings settings;
  private final SerialTimers timers;

  private boolean expired;
  private boolean asking;
  private boolean servedElsewhere;
  private long servedElsewhereSinceMillis;

  /** Distinguishes responses of this expiry from those of an earlier one. */
  private long round;

  LeaseExpiry(
      NodeId self,
      MemberView members,
      PeerNetwork peers,
      MembershipSettings settings,
      SerialTimers timers) {
    this.self = self;
    this.members = members;
    this.peers = peers;
    this.settings = settings;
    this.timers = timers;
  }

  /** Lets other nodes query whether this one serves clients. */
  void answerOthers(BooleanSupplier serving) {
    peers.serve(
        SERVICE,
        (from, question) -> {
          requireVersion(new ByteReader(question));
          byte[] answer = {VERSION, (byte) (serving.getAsBoolean() ? 1 : 0)};
          return CompletableFuture.completedFuture(answer);
        });
  }

  /** Must be called at each heartbeat while this node is admitted and its lease has expired. */
  void onExpired(long incarnation, String reason) {
    if (!expired) {
      expired = true;
      LOG.warn("Lease expired; pausing clients: {} incarnation={}", reason, incarnation);
    }
    if (asking) {
      return;
    }
    asking = true;
    long asked = ++round;
    isServedElsewhere()
        .whenCompleteAsync(
            (serves, failure) -> {
              asking = false;
              if (expired && asked == round) {
                onAnswers(incarnation, Boolean.TRUE.equals(serves));
              }
            },
            timers);
  }

  private void onAnswers(long incarnation, boolean serves) {
    long now = timers.nowMillis();
    if (serves && !servedElsewhere) {
      servedElsewhereSinceMillis = now;
    }
    servedElsewhere = serves;
    long confirmed = CONFIRMING_HEARTBEATS * settings.heartbeat().toMillis();
    if (serves && now - servedElsewhereSinceMillis >= confirmed) {
      members.notifyListeners(listener -> listener.leaseExpired(incarnation));
    }
  }

  /** Must be called when the lease has been renewed or this incarnation has ended. */
  void ended(boolean renewed) {
    if (expired && renewed) {
      LOG.info("Lease renewed; serving clients again");
    }
    expired = false;
    servedElsewhere = false;
    round++;
  }

  private CompletableFuture<Boolean> isServedElsewhere() {
    List<CompletableFuture<Boolean>> answers =
        members.members().byNode().values().stream()
            .filter(member -> member.isAlive() && !member.node().equals(self))
            .map(member -> ask(member.node()))
            .toList();
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> answers.stream().anyMatch(CompletableFuture::join));
  }

  /** The request; {@link Reachability} sends it, too, and accepts any response. */
  static byte[] question() {
    return new byte[] {VERSION};
  }

  private CompletableFuture<Boolean> ask(NodeId node) {
    return peers
        .ask(node, SERVICE, question(), settings.heartbeat())
        .handle((answer, failure) -> failure == null && isPositive(answer));
  }

  private static boolean isPositive(byte[] answer) {
    ByteReader in = new ByteReader(answer);
    requireVersion(in);
    boolean serves = in.readByte() == 1;
    in.requireEnd();
    return serves;
  }

  private static void requireVersion(ByteReader in) {
    NewerFormatException.require("query whether a node serves clients", VERSION, in.readByte());
  }
}
