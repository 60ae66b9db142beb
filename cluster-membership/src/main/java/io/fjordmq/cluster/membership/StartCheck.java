package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.peer.Hello;
import io.fjordmq.cluster.peer.HelloClient;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.PeerException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
 * Asks all known nodes whether they accept this data directory, before it is used. One node that
 * knows a later start is enough to keep a stale copy from voting. Nodes that do not respond in time
 * are skipped; they fence a stale copy when they connect. For the startup thread; blocks.
 */
public final class StartCheck {
  private static final Logger LOG = LoggerFactory.getLogger(StartCheck.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final NodeIdentity self;
  private final JoinSettings settings;
  private final HelloClient helloClient;
  private final StartFence fence;

  public StartCheck(
      NodeIdentity self, JoinSettings settings, HelloClient helloClient, StartFence fence) {
    this.self = self;
    this.settings = settings;
    this.helloClient = helloClient;
    this.fence = fence;
  }

  /**
   * Returns once no responding node objects.
   *
   * @throws MembershipException if the directory is a stale copy, or another process of this node
   *     stays connected; the message says what to do
   */
  public void ask(NodeAddresses addresses) throws MembershipException, InterruptedException {
    Set<NodeAddress> others = othersIn(addresses);
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    String inUse = objection(others);
    while (inUse != null) {
      if (System.nanoTime() - deadline > 0) {
        throw new MembershipException(inUse);
      }
      LOG.warn("Waiting for another process of this node to end: {}", inUse);
      TimeUnit.MILLISECONDS.sleep(settings.helloPause().toMillis());
      inUse = objection(others);
    }
  }

  /**
   * Returns if no other known node responds.
   *
   * @throws MembershipException if one does; the message says which one and what to do
   */
  public void requireNoOtherRunning(NodeAddresses addresses)
      throws MembershipException, InterruptedException {
    Set<NodeAddress> others = othersIn(addresses);
    Hello hello = hello();
    Map<NodeAddress, CompletableFuture<HelloReply>> asked = new LinkedHashMap<>();
    others.forEach(to -> asked.put(to, helloClient.greet(to, hello, settings.helloTimeout())));
    for (Map.Entry<NodeAddress, CompletableFuture<HelloReply>> question : asked.entrySet()) {
      if (isAnswered(question.getValue())) {
        throw new MembershipException(
            "another node of this cluster is running at %s; a stand-alone start would split the cluster in two. Stop that node permanently, or start this one without --alone"
                .formatted(question.getKey()));
      }
    }
  }

  private boolean isAnswered(CompletableFuture<HelloReply> answer) throws InterruptedException {
    try {
      return answer.get().clusterId().equals(self.clusterId());
    } catch (ExecutionException e) {
      return e.getCause() instanceof PeerException refusal
          && (refusal.kind() == PeerException.Kind.IN_USE
              || refusal.kind() == PeerException.Kind.FENCED);
    }
  }

  private Set<NodeAddress> othersIn(NodeAddresses addresses) {
    Set<NodeAddress> others = new HashSet<>(addresses.all().values());
    others.addAll(settings.seeds());
    others.remove(settings.address());
    return others;
  }

  private Hello hello() {
    return new Hello(self.clusterId(), self.node(), settings.address(), fence.own());
  }

  /** Describes the other process of this node that is connected; null if there is none. */
  private @Nullable String objection(Set<NodeAddress> others)
      throws MembershipException, InterruptedException {
    Hello hello = hello();
    List<CompletableFuture<HelloReply>> asked =
        others.stream().map(to -> helloClient.greet(to, hello, settings.helloTimeout())).toList();
    String inUse = null;
    for (CompletableFuture<HelloReply> answer : asked) {
      try {
        answer.get();
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
