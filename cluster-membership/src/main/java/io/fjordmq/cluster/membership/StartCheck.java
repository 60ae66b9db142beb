package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.peer.Hello;
import io.fjordmq.cluster.peer.HelloClient;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.common.OperationException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks all known nodes whether they accept this data directory, before it is used. A single node
 * that knows a later start keeps a stale copy from voting. Nodes that do not respond in time are
 * skipped; they fence a stale copy when they connect. Runs on the startup thread; blocks.
 */
public final class StartCheck {
  private static final Logger LOG = LoggerFactory.getLogger(StartCheck.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final NodeIdentity self;
  private final JoinOptions options;
  private final HelloClient helloClient;
  private final StartFence fence;

  public StartCheck(
      NodeIdentity self, JoinOptions options, HelloClient helloClient, StartFence fence) {
    this.self = self;
    this.options = options;
    this.helloClient = helloClient;
    this.fence = fence;
  }

  /**
   * Returns once no responding node objects.
   *
   * @throws MembershipException if the directory is a stale copy, or another process of this node
   *     stays connected; the message tells the operator what to do
   */
  public void probeNodes(NodeAddresses addresses) throws MembershipException, InterruptedException {
    Set<NodeAddress> others = othersIn(addresses);
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    String inUse = findConflictingProcess(others);
    while (inUse != null) {
      if (System.nanoTime() - deadline > 0) {
        throw new MembershipException(inUse);
      }
      LOG.warn("Waiting for another process of this node to exit: {}", inUse);
      TimeUnit.MILLISECONDS.sleep(options.settings().helloInterval().toMillis());
      inUse = findConflictingProcess(others);
    }
  }

  /**
   * Returns if no other known node responds. A slow node must not be mistaken for a lost one:
   * addresses that do not refuse the connection are probed again until the timeout.
   *
   * @throws MembershipException if a node responds; the message names it and tells the operator
   *     what to do
   */
  public void requireNoOtherRunning(NodeAddresses addresses)
      throws MembershipException, InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    Set<NodeAddress> unresponsive = requireNotRunning(othersIn(addresses));
    while (!unresponsive.isEmpty() && System.nanoTime() - deadline < 0) {
      LOG.warn(
          "Retrying addresses that neither responded nor refused the connection " + "addresses={}",
          unresponsive);
      TimeUnit.MILLISECONDS.sleep(options.settings().helloInterval().toMillis());
      unresponsive = requireNotRunning(unresponsive);
    }
  }

  /** Returns the addresses from which no response arrived in time. */
  private Set<NodeAddress> requireNotRunning(Set<NodeAddress> addresses)
      throws MembershipException, InterruptedException {
    Hello hello = hello();
    Map<NodeAddress, CompletableFuture<HelloReply>> replies = new LinkedHashMap<>();
    addresses.forEach(
        to -> replies.put(to, helloClient.sendHello(to, hello, options.settings().helloTimeout())));
    Set<NodeAddress> unresponsive = new LinkedHashSet<>();
    for (Map.Entry<NodeAddress, CompletableFuture<HelloReply>> reply : replies.entrySet()) {
      try {
        if (reply.getValue().get().clusterId().equals(self.clusterId())) {
          throw alreadyRunning(reply.getKey());
        }
      } catch (ExecutionException e) {
        if (OperationException.isAny(
            e.getCause(), PeerException.Kind.IN_USE, PeerException.Kind.FENCED)) {
          throw alreadyRunning(reply.getKey());
        } else if (OperationException.isAny(e.getCause(), PeerException.Kind.NO_RESPONSE)) {
          unresponsive.add(reply.getKey());
        }
      }
    }
    return unresponsive;
  }

  private static MembershipException alreadyRunning(NodeAddress address) {
    return new MembershipException(
        "another node of this cluster is running at %s; a stand-alone start would split the cluster; stop that node permanently, or start this one without --alone"
            .formatted(address));
  }

  private Set<NodeAddress> othersIn(NodeAddresses addresses) {
    Set<NodeAddress> others = new HashSet<>(addresses.all().values());
    others.addAll(options.seeds().lookUp());
    others.remove(options.address());
    return others;
  }

  private Hello hello() {
    return new Hello(self.clusterId(), self.node(), options.address(), fence.ownStart());
  }

  /** Describes the other process of this node that is connected; null if there is none. */
  private @Nullable String findConflictingProcess(Set<NodeAddress> others)
      throws MembershipException, InterruptedException {
    Hello hello = hello();
    List<CompletableFuture<HelloReply>> replies =
        others.stream()
            .map(to -> helloClient.sendHello(to, hello, options.settings().helloTimeout()))
            .toList();
    String inUse = null;
    for (CompletableFuture<HelloReply> reply : replies) {
      try {
        reply.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof PeerException refusal) {
          if (refusal.kind() == PeerException.Kind.FENCED) {
            fence.fence(String.valueOf(refusal.getMessage()));
            throw new MembershipException(String.valueOf(refusal.getMessage()));
          } else if (refusal.kind() == PeerException.Kind.IN_USE) {
            inUse = String.valueOf(refusal.getMessage());
          }
        }
      }
    }
    return inUse;
  }
}
