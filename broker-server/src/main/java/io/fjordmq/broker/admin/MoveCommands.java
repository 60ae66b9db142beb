package io.fjordmq.broker.admin;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.RangePin;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Moves replicas and leadership of single ranges to the nodes that an operator chooses, and pins
 * them there (decision 0073). Not thread-safe; each command blocks until the pin has been written
 * or has timed out. Placement makes the change afterwards.
 */
final class MoveCommands {
  private final ClusterNode node;
  private final Stores stores;

  MoveCommands(ClusterNode node, Stores stores) {
    this.node = node;
    this.stores = stores;
  }

  /** Why a request is rejected. */
  private static final class RejectedException extends Exception {
    private static final long serialVersionUID = 1;

    RejectedException(String reason) {
      super(reason);
    }
  }

  /** The pin that a request results in. */
  private interface PinChange {
    @Nullable RangePin pin(RangeDescriptor range, @Nullable RangePin now) throws RejectedException;
  }

  /** Moves a voting replica: the arguments are the range and the ids of both nodes. */
  CommandResult move(List<String> arguments) {
    NodeId from = new NodeId(arguments.get(1));
    NodeId to = new NodeId(arguments.get(2));
    return pin(
        arguments.get(0),
        "moved",
        ("range %s moves from node %s to node %s and stays there until it is unpinned; 'status"
                + " --ranges' shows the progress")
            .formatted(arguments.get(0), from, to),
        (range, now) -> {
          Set<NodeId> voters = new HashSet<>(voters(range, now));
          if (!voters.remove(from)) {
            throw new RejectedException(
                "node %s is not one of its voters: %s".formatted(from, sorted(voters)));
          } else if (voters.contains(to) || from.equals(to)) {
            throw new RejectedException(
                "node %s is already one of its voters: %s"
                    .formatted(to, sorted(voters(range, now))));
          }
          requireUp(to);
          voters.add(to);
          NodeId leader = now == null ? null : now.leader();
          return new RangePin(voters, from.equals(leader) ? to : leader);
        });
  }

  /** Transfers the leadership: the arguments are the range and the id of the next leader. */
  CommandResult moveLeader(List<String> arguments) {
    NodeId to = new NodeId(arguments.get(1));
    return pin(
        arguments.get(0),
        "transferred to the new leader",
        ("node %s becomes the leader of range %s, which stays on its nodes until it is unpinned;"
                + " 'status --ranges' shows the progress")
            .formatted(to, arguments.get(0)),
        (range, now) -> {
          Set<NodeId> voters = voters(range, now);
          if (!voters.contains(to)) {
            throw new RejectedException(
                ("only voters can lead a range, and node %s is not one of them: %s. To move a"
                        + " replica there, run 'bin/fjordmq ranges move'")
                    .formatted(to, sorted(voters)));
          }
          requireUp(to);
          return new RangePin(voters, to);
        });
  }

  /** Lets placement balance a range again. */
  CommandResult unpin(String name) {
    return pin(
        name,
        "unpinned",
        "range " + name + " is no longer pinned; placement balances it again",
        (range, now) -> {
          if (now == null) {
            throw new RejectedException("the range is not pinned");
          }
          return null;
        });
  }

  private Set<NodeId> voters(RangeDescriptor range, @Nullable RangePin now)
      throws RejectedException {
    int configured = stores.voters(range.id().store());
    Set<NodeId> voters = range.replicas().voters();
    if (now != null && !(voters.containsAll(now.voters()) && voters.size() <= configured)) {
      voters = now.voters(); // an earlier move is still in progress
    }
    if (voters.size() > configured) {
      throw new RejectedException(
          ("its voters are being changed (voters: %s, of which %d remain); retry when this is done,"
                  + " see 'status'")
              .formatted(sorted(voters), configured));
    }
    return voters;
  }

  private void requireUp(NodeId target) throws RejectedException {
    Member member = node.membership().members().find(target);
    if (member == null || member.state() != Member.State.UP) {
      String state = member == null ? "unknown" : member.state().name().toLowerCase(Locale.ROOT);
      throw new RejectedException("node %s must be up, but it is %s".formatted(target, state));
    }
  }

  private static List<String> sorted(Collection<NodeId> nodes) {
    return nodes.stream().map(NodeId::value).sorted().toList();
  }

  private CommandResult pin(String name, String participle, String done, PinChange pinChange) {
    RangeDescriptor range =
        stores.publishedRanges().stream()
            .filter(one -> one.id().toString().equals(name))
            .findFirst()
            .orElse(null);
    if (range == null) {
      return CommandResult.failed("unknown range '" + name + "'; 'status' lists the ranges");
    }
    RangePin.Stored stored = stores.directory().pins().get(range.id());
    @Nullable RangePin pin;
    try {
      pin = pinChange.pin(range, stored == null ? null : stored.pin());
    } catch (RejectedException e) {
      return CommandResult.failed(
          "range %s was not %s: %s".formatted(name, participle, e.getMessage()));
    }
    long version = stored == null ? Change.ABSENT : stored.version();
    Change change =
        pin == null ? RangePin.remove(range.id(), version) : RangePin.put(range.id(), pin, version);
    String failure = MetadataChange.await(() -> write(change, range.id(), pin));
    return failure == null
        ? CommandResult.done(done)
        : CommandResult.failed("range %s was not %s: %s".formatted(name, participle, failure));
  }

  /** A conflict is none if an earlier attempt, whose outcome was unknown, made the change. */
  private CompletableFuture<?> write(Change change, RangeId range, @Nullable RangePin pin) {
    return node.membership()
        .write(List.of(change))
        .thenCompose(result -> node.metadata().readView().handle((view, failure) -> result))
        .thenAccept(
            result -> {
              RangePin.Stored now = stores.directory().pins().get(range);
              if (result instanceof WriteResult.Conflict
                  && !Objects.equals(pin, now == null ? null : now.pin())) {
                throw new IllegalStateException(
                    "the pin of the range was changed at the same time; check 'status' and retry");
              }
            });
  }
}
