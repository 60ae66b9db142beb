package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.common.Timers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines whether another node serves clients while the lease of this node has expired. If no
 * node does, for example because the metadata group has no leader, disconnecting clients would not
 * help them; if one does, the listeners are notified. Runs on the membership thread.
 *
 * <p>Only fresh responses count. Leases expire at slightly different times, and a new leader renews
 * them one by one. Therefore another node must serve for {@value #CONFIRMING_HEARTBEATS} heartbeats
 * during which this node could not renew its lease.
 */
final class LeaseExpiry {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseExpiry.class);

  /*
   * The peer service "serving". Request:
   *
   *   u8  version, 1
   *
   * Response:
   *
   *   u8  version, 1
   *   u8  1 if the node currently serves clients, else 0
   */
  static final String SERVICE = "serving";
  private static final int VERSION = 1;

  private static final int CONFIRMING_HEARTBEATS = 2;

  private final NodeId self;
  private final MemberView members;
  private final PeerNetwork peers;
  private final MembershipSettings settings;
  private final Timers timers;

  private boolean expired;
  private boolean querying;
  private boolean servedElsewhere;
  private long servedElsewhereSinceMillis;

  /** Distinguishes responses of this expiry from those of an earlier one. */
  private long round;

  LeaseExpiry(
      NodeId self,
      MemberView members,
      PeerNetwork peers,
      MembershipSettings settings,
      Timers timers) {
    this.self = self;
    this.members = members;
    this.peers = peers;
    this.settings = settings;
    this.timers = timers;
  }

  /** Lets other nodes query whether this one serves clients. */
  void registerHandler(BooleanSupplier serving) {
    peers.serve(
        SERVICE,
        (from, request) -> {
          requireVersion(new ByteReader(request));
          byte[] response = {VERSION, (byte) (serving.getAsBoolean() ? 1 : 0)};
          return CompletableFuture.completedFuture(response);
        });
  }

  /** Must be called at each heartbeat while this node is admitted and its lease has expired. */
  void onExpired(long incarnation, String reason) {
    if (!expired) {
      expired = true;
      LOG.warn("Pausing clients: {} incarnation={}", reason, incarnation);
    }
    if (querying) {
      return;
    }
    querying = true;
    long thisRound = ++round;
    isServedElsewhere()
        .whenCompleteAsync(
            (serves, failure) -> {
              querying = false;
              if (expired && thisRound == round) {
                onResponses(incarnation, Boolean.TRUE.equals(serves));
              }
            },
            timers);
  }

  private void onResponses(long incarnation, boolean serves) {
    long now = timers.nowMillis();
    if (serves && !servedElsewhere) {
      servedElsewhereSinceMillis = now;
    }
    servedElsewhere = serves;
    long confirmed = CONFIRMING_HEARTBEATS * settings.heartbeat().toMillis();
    if (serves && now - servedElsewhereSinceMillis >= confirmed) {
      members.notifyListeners(listener -> listener.onLeaseExpired(incarnation));
    }
  }

  /** Must be called when the lease has been renewed or this incarnation has ended. */
  void onRenewal(boolean renewed) {
    if (expired && renewed) {
      LOG.info("Lease renewed; serving clients again");
    }
    expired = false;
    servedElsewhere = false;
    round++;
  }

  private CompletableFuture<Boolean> isServedElsewhere() {
    List<CompletableFuture<Boolean>> responses =
        members.members().byNode().values().stream()
            .filter(member -> member.isAlive() && !member.node().equals(self))
            .map(member -> probe(member.node()))
            .toList();
    return CompletableFuture.allOf(responses.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> responses.stream().anyMatch(CompletableFuture::join));
  }

  /**
   * Returns the request of the service. {@link Reachability} sends it as well, and accepts any
   * response.
   */
  static byte[] encodeProbe() {
    return new byte[] {VERSION};
  }

  private CompletableFuture<Boolean> probe(NodeId node) {
    return peers
        .call(node, SERVICE, encodeProbe(), settings.heartbeat())
        .handle((response, failure) -> failure == null && isServingResponse(response));
  }

  private static boolean isServingResponse(byte[] response) {
    ByteReader in = new ByteReader(response);
    requireVersion(in);
    boolean serves = in.readByte() == 1;
    in.requireEnd();
    return serves;
  }

  private static void requireVersion(ByteReader in) {
    NewerFormatException.require("serving query", VERSION, in.readByte());
  }
}
