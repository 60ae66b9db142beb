package io.fjordmq.broker.query;

import io.fjordmq.broker.slow.SlowSubscription;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.MalformedBytesException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The slow subscriptions of all nodes. Thread-safe; does not block. */
public final class SlowSubscriptionQueries {
  private static final byte[] NOTHING = {};

  private static final Comparator<Found> SLOWEST_FIRST =
      Comparator.comparing(Found::subscription, SlowSubscription.SLOWEST_FIRST)
          .thenComparing(Found::node);

  private final SlowSubscriptions own;
  private final NodeBroadcast nodes;
  private final InstantSource clock;

  /**
   * A slow subscription.
   *
   * @param node the node that the client is or was connected to
   */
  public record Found(String node, SlowSubscription subscription) {}

  /**
   * The slow subscriptions of all nodes.
   *
   * @param subscriptions slowest first
   * @param problems the nodes that did not respond, and why
   */
  public record Slowest(List<Found> subscriptions, List<String> problems) {}

  private SlowSubscriptionQueries(
      SlowSubscriptions own, Membership membership, PeerNetwork peers, InstantSource clock) {
    this.own = own;
    this.nodes = new NodeBroadcast(membership, peers, SlowSubscriptionCodec.SERVICE);
    this.clock = clock;
  }

  /**
   * Starts responding to other nodes.
   *
   * @param clock the clock with which latencies are measured
   */
  public static SlowSubscriptionQueries start(
      SlowSubscriptions own, Membership membership, PeerNetwork peers, InstantSource clock) {
    SlowSubscriptionQueries queries = new SlowSubscriptionQueries(own, membership, peers, clock);
    peers.serve(SlowSubscriptionCodec.SERVICE, (from, request) -> queries.respond(request));
    return queries;
  }

  private CompletableFuture<byte[]> respond(byte[] request) {
    try {
      SlowSubscriptionCodec.Call call = SlowSubscriptionCodec.decode(request);
      if (call.clear()) {
        own.clear(ofTenant(call.tenant()));
        return CompletableFuture.completedFuture(NOTHING);
      }
      return CompletableFuture.completedFuture(SlowSubscriptionCodec.encode(local(call.tenant())));
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private List<SlowSubscription> local(@Nullable String tenant) {
    return own.list(clock.millis()).stream()
        .filter(slow -> tenant == null || slow.tenant().equals(tenant))
        .toList();
  }

  private static Predicate<String> ofTenant(@Nullable String tenant) {
    return other -> tenant == null || tenant.equals(other);
  }

  /**
   * Lists the slow subscriptions of all nodes.
   *
   * @param tenant null for all tenants
   * @return completes on any thread; never fails
   */
  public CompletableFuture<Slowest> list(@Nullable String tenant) {
    byte[] request = SlowSubscriptionCodec.encode(new SlowSubscriptionCodec.Call(false, tenant));
    return nodes
        .askAll(request, SlowSubscriptionCodec::decodeResponse, () -> local(tenant))
        .thenApply(
            responses -> {
              List<Found> all = new ArrayList<>();
              responses
                  .byNode()
                  .forEach((node, slow) -> slow.forEach(one -> all.add(new Found(node, one))));
              all.sort(SLOWEST_FIRST);
              return new Slowest(List.copyOf(all), responses.problems());
            });
  }

  /**
   * Clears the lists of all nodes.
   *
   * @param tenant null for all tenants
   * @return completes on any thread with the nodes that did not respond, and why; never fails
   */
  public CompletableFuture<List<String>> clear(@Nullable String tenant) {
    byte[] request = SlowSubscriptionCodec.encode(new SlowSubscriptionCodec.Call(true, tenant));
    return nodes
        .askAll(
            request,
            response -> true,
            () -> {
              own.clear(ofTenant(tenant));
              return true;
            })
        .thenApply(NodeBroadcast.Responses::problems);
  }
}
