package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The waiting nodes that a waiting node has seen in one round, without any node of a cluster. */
final class SeenNodes {
  private final WaitingNode self;
  private final Map<NodeId, Seen> others = new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
  private final List<String> notCounted = new ArrayList<>();
  private final int seedNodes;
  private boolean selfIsCopied;

  /**
   * @param node as it described itself
   * @param at the address at which it responded
   */
  record Seen(WaitingNode node, NodeAddress at) {}

  /**
   * @param seeds the addresses of the seeds, which are some of those that were contacted
   */
  SeenNodes(WaitingNode self, Round round, Collection<NodeAddress> seeds) {
    this.self = self;
    for (Round.Reply reply : round.replies()) {
      WaitingNode node = reply.waiting();
      if (node != null) {
        add(new Seen(node, reply.address()));
      } else if (reply.failure() != null && seeds.contains(reply.address())) {
        notCounted.add(reply.failure());
      }
    }
    others
        .values()
        .forEach(
            other -> {
              String reason = incompatibility(other.node);
              if (reason != null) {
                notCounted.add(reason);
              }
            });
    seedNodes = Math.max(countNodes(round, seeds, false), countNodes(round, seeds, true));
  }

  private void add(Seen seen) {
    if (!seen.node.node().equals(self.node())) {
      others.putIfAbsent(seen.node.node(), seen);
    } else if (seen.node.process() != self.process()) {
      selfIsCopied = true;
      notCounted.add(
          "the node at %s has a copy of this node's data directory; empty the data directory of one of the two"
              .formatted(seen.at));
    }
  }

  private @Nullable String incompatibility(WaitingNode other) {
    if (!other.env().equals(self.env())) {
      return "node %s has clusterConfig.env '%s', this node '%s'; set the same env on all nodes"
          .formatted(other, other.env(), self.env());
    }
    if (other.expectNodes() != self.expectNodes()) {
      return "node %s has expectNodes %d, this node %d; set the same number on all nodes"
          .formatted(other, other.expectNodes(), self.expectNodes());
    }
    return null;
  }

  /**
   * Counts the nodes behind the seed addresses of one IP version: those that have responded, and
   * one for each address that has not. A node may have an address of each version.
   */
  private int countNodes(Round round, Collection<NodeAddress> seeds, boolean ipv6) {
    Set<Object> found = new HashSet<>();
    found.add(self.node());
    for (Round.Reply reply : round.replies()) {
      NodeAddress address = reply.address();
      if (seeds.contains(address) && (!address.isLiteral() || address.isIpv6() == ipv6)) {
        WaitingNode node = reply.waiting();
        found.add(node == null ? address : node.node());
      }
    }
    return found.size();
  }

  /** The other nodes that could promise a proposal of this node, ordered by id. */
  List<Seen> available() {
    return others.values().stream()
        .filter(other -> incompatibility(other.node) == null && other.node.isFreeFor(self.node()))
        .toList();
  }

  /** The number of nodes that must promise, including this one. */
  int required() {
    return Math.max(self.expectNodes(), seedNodes / 2 + 1);
  }

  /** Whether this node is the one that should propose. */
  boolean isProposer() {
    List<Seen> free = available();
    return self.promise() == null
        && !selfIsCopied
        && free.size() + 1 >= required()
        && free.stream().allMatch(other -> isBefore(self.node(), other.node.node()));
  }

  /** Of the nodes that see each other, the one with the lowest id proposes. */
  static boolean isBefore(NodeId proposer, NodeId other) {
    return proposer.value().compareTo(other.value()) < 0;
  }

  /** Whether a promise to this proposal is void, because its proposer has shown a higher number. */
  boolean isVoid(Promise promise) {
    Seen proposer = others.get(promise.proposer());
    return proposer != null && proposer.node.number() > promise.number();
  }

  /** The addresses at which other waiting nodes have responded. */
  List<NodeAddress> reached() {
    return others.values().stream().map(Seen::at).toList();
  }

  /** The addresses that other waiting nodes have reached. */
  Stream<NodeAddress> reachedByOthers() {
    return others.values().stream().flatMap(other -> other.node.reached().stream());
  }

  /** The nodes that count toward the required number, including this one. */
  Set<NodeId> counted() {
    Set<NodeId> counted =
        available().stream().map(other -> other.node.node()).collect(Collectors.toSet());
    counted.add(self.node());
    return counted;
  }

  /** Describes for operators what this node waits for, and what to do. */
  String describe() {
    Promise promise = self.promise();
    if (promise != null) {
      return ("waiting for node %s, which may have created a cluster; start it again. If its data"
              + " is lost, empty the data directories of this node and of all nodes that wait"
              + " for it%s")
          .formatted(promise.proposer(), reasons());
    }
    int missing = required() - counted().size();
    String nodes =
        Stream.concat(
                Stream.of("this node " + self),
                available().stream().map(other -> other.node.toString()))
            .collect(Collectors.joining(", "));
    String seen =
        "waiting to create a cluster: found %d of %d nodes (%s)"
            .formatted(counted().size(), required(), nodes);
    if (missing <= 0) {
      return seen + reasons();
    }
    String why =
        required() > self.expectNodes()
            ? "; the seeds name %d nodes, more than half of which must take part (expectNodes: %d)"
                .formatted(seedNodes, self.expectNodes())
            : "";
    return "%s%s; start %d more, or add missing addresses to clusterConfig.seedEndpoints%s"
        .formatted(seen, why, missing, reasons());
  }

  private String reasons() {
    List<String> reasons = new ArrayList<>(notCounted);
    for (Seen other : others.values()) {
      Promise promise = other.node.promise();
      if (promise != null
          && !promise.proposer().equals(self.node())
          && !promise.proposer().equals(proposer())) {
        reasons.add("node %s waits for node %s".formatted(other.node, promise.proposer()));
      }
    }
    return reasons.isEmpty() ? "" : "; not counted: " + String.join("; ", reasons);
  }

  private @Nullable NodeId proposer() {
    Promise promise = self.promise();
    return promise == null ? null : promise.proposer();
  }
}
