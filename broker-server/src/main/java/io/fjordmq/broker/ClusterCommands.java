package io.fjordmq.broker;

import io.fjordmq.broker.ops.ControlFolder.Answer;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.placement.VoterCounts;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the commands with which an operator changes a running cluster. Any node accepts them:
 * set voter counts, remove or decommission a node (decision 0024), split, merge or rebuild a range,
 * cancel a pending merge or replica move, and set back a range clock that is ahead (0037). Not
 * thread-safe; each command blocks until the change is made or has timed out.
 */
final class ClusterCommands {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterCommands.class);
  private static final long WRITE_SECONDS = 10;
  private static final long RESHAPE_SECONDS = 100;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final String USAGE =
      "commands: voters [STORE=NUMBER]..., remove-node ID, leave, split RANGE, merge RANGE,"
          + " cancel RANGE, rebuild RANGE, lower-clock RANGE; see bin/standalone.sh --help";

  private final ClusterNode node;
  private final Stores stores;
  private final List<StorePlacement> own;

  /**
   * @param own voter counts from this node's configuration; they apply only to a new cluster
   */
  ClusterCommands(ClusterNode node, Stores stores, List<StorePlacement> own) {
    this.node = node;
    this.stores = stores;
    this.own = own;
  }

  /** Logs every voter count in this node's configuration that differs from the cluster's. */
  void logDifferences(Set<String> chosen) {
    List<StorePlacement> counts = counts();
    for (int i = 0; i < own.size(); i++) {
      StorePlacement mine = own.get(i);
      StorePlacement theirs = counts.get(i);
      if (chosen.contains(mine.store()) && mine.voters() != theirs.voters()) {
        LOG.warn(
            "storeConfig.{}.replicaVoterCount is {} in this node's configuration, but the "
                + "cluster uses {}; to change it for all nodes run 'bin/standalone.sh voters "
                + "{}={}'",
            mine.store(),
            mine.voters(),
            theirs.voters(),
            mine.store(),
            mine.voters());
      }
    }
  }

  private List<StorePlacement> counts() {
    return VoterCounts.in(node.metadata().view(), own);
  }

  Answer perform(List<String> words) {
    List<String> rest = words.subList(1, words.size());
    return switch (words.get(0)) {
      case "voters" -> voters(rest);
      case "remove-node" -> rest.size() == 1 ? remove(rest.get(0)) : misused(USAGE);
      case "split" -> rest.size() == 1 ? split(rest.get(0)) : misused(USAGE);
      case "merge" -> rest.size() == 1 ? merge(rest.get(0)) : misused(USAGE);
      case "cancel" -> rest.size() == 1 ? cancel(rest.get(0)) : misused(USAGE);
      case "rebuild" -> rest.size() == 1 ? rebuild(rest.get(0)) : misused(USAGE);
      case "lower-clock" -> rest.size() == 1 ? lowerClock(rest.get(0)) : misused(USAGE);
      case "leave" -> rest.isEmpty() ? leave() : misused(USAGE);
      default -> misused("unknown command '" + words.get(0) + "'; " + USAGE);
    };
  }

  private static Answer misused(String how) {
    return new Answer(Answer.MISUSED, how);
  }

  private static Answer failed(String why) {
    return new Answer(Answer.FAILED, why);
  }

  private Answer voters(List<String> settings) {
    List<Change> batch = new ArrayList<>();
    Set<String> named = new HashSet<>();
    for (String setting : settings) {
      StorePlacement wanted = parse(setting);
      if (wanted == null || !named.add(wanted.store())) {
        return misused(
            ("invalid voter count '%s': expected STORE=NUMBER with one of the stores %s, each at "
                    + "most once, and a number from 1 to %d; example: inbox=3")
                .formatted(
                    setting,
                    own.stream().map(StorePlacement::store).collect(Collectors.joining(", ")),
                    StorePlacement.MAX_VOTERS));
      }
      batch.add(VoterCounts.change(wanted));
    }
    if (!batch.isEmpty()) {
      String failure =
          await(
              () ->
                  node.membership()
                      .write(batch)
                      .thenCompose(
                          written -> node.metadata().readView().handle((seen, unseen) -> written)));
      if (failure != null) {
        return failed(
            "the change of the voter counts was not confirmed and may still take effect: "
                + failure);
      }
    }
    String now =
        counts().stream()
            .map(store -> store.store() + "=" + store.voters())
            .collect(Collectors.joining(" "));
    int nodes = node.membership().members().byNode().size();
    boolean tooFew = counts().stream().anyMatch(store -> store.voters() > nodes);
    return new Answer(
        Answer.DONE,
        now + (tooFew ? " (limited by the number of nodes, currently " + nodes + ")" : ""));
  }

  private @Nullable StorePlacement parse(String setting) {
    for (StorePlacement store : own) {
      if (setting.matches(store.store() + "=[1-" + StorePlacement.MAX_VOTERS + "]")) {
        int voters = setting.charAt(setting.length() - 1) - '0';
        return new StorePlacement(store.store(), voters, store.onEveryNode());
      }
    }
    return null;
  }

  private Answer remove(String id) {
    if (!id.matches("[A-Za-z0-9._-]{1,64}")) {
      return misused("invalid node id '" + id + "'; 'bin/standalone.sh status' lists the nodes");
    }
    NodeId gone = new NodeId(id);
    Members members = node.membership().members();
    for (RangeDescriptor range : ranges()) {
      Set<NodeId> voters = range.replicas().voters();
      long others =
          voters.stream()
              .filter(voter -> !voter.equals(gone) && members.alive().contains(voter))
              .count();
      Member member = members.find(gone);
      if (voters.contains(gone)
          && 2 * others <= voters.size()
          && member != null
          && !member.isAlive()) {
        return failed(
            ("cannot remove node %s: range %s has no majority without it and would lose data; "
                    + "first bring back one of its voters %s")
                .formatted(id, range.id(), voters));
      }
    }
    String failure = await(() -> node.membership().remove(gone));
    return failure == null
        ? new Answer(
            Answer.DONE,
            "removed node %s; its replicas move to other nodes, and its id cannot be used again"
                .formatted(id))
        : failed("cannot remove node " + id + ": " + failure);
  }

  /** The caller repeats the command until it is done; replicas and clients move meanwhile. */
  private Answer leave() {
    ClusterMembership membership = node.membership();
    Members members = membership.members();
    boolean others =
        members.byNode().values().stream()
            .anyMatch(
                member ->
                    member.state() == Member.State.UP && !member.node().equals(membership.self()));
    if (!others) {
      return failed("cannot decommission this node: no other node is up to take over its replicas");
    }
    Member self = members.find(membership.self());
    if (self == null || self.state() != Member.State.LEAVING) {
      String failure = await(membership::decommission);
      if (failure != null) {
        return failed("cannot mark this node as leaving: " + failure);
      }
    }
    long votes = ranges().stream().filter(this::hasVoteOf).count();
    boolean metadata = node.metadata().status().replicas().voters().contains(membership.self());
    if (votes > 0 || metadata) {
      return new Answer(
          Answer.NOT_YET,
          "moving replicas to other nodes: this node is still a voter of %d ranges%s"
                  .formatted(votes, metadata ? " and of the metadata group" : "")
              + away(members));
    }
    membership.removeOnClose();
    return new Answer(Answer.DONE, "this node is no longer a voter of any range");
  }

  private Answer split(String name) {
    return reshape(
        name,
        "split",
        range ->
            stores
                .splits()
                .split(range)
                .thenApply(
                    key ->
                        "range %s is split at key %s; status shows the new ranges in a moment"
                            .formatted(name, HexFormat.of().formatHex(key))));
  }

  private Answer merge(String name) {
    return reshape(
        name,
        "merged",
        range ->
            stores
                .merges()
                .merge(range)
                .thenApply(done -> "range %s has absorbed its right neighbour".formatted(name)));
  }

  private Answer cancel(String name) {
    return reshape(
        name,
        "canceled",
        range ->
            stores
                .pending()
                .cancel(range)
                .thenApply(
                    done ->
                        ("canceled the pending step of range %s; a merge that has begun is rolled "
                                + "back in a moment, see status")
                            .formatted(name)));
  }

  /** Rebuilds this node's replica; the placement driver carries it out step by step. */
  private Answer rebuild(String name) {
    ReplicaStatus replica =
        stores.ranges().status().stream()
            .filter(one -> one.descriptor().id().toString().equals(name))
            .findFirst()
            .orElse(null);
    RangeDescriptor range = published(name);
    if (replica == null || range == null) {
      return failed(
          "cannot rebuild range '%s': this node has no replica of it; status shows which nodes do"
              .formatted(name));
    }
    Members members = node.membership().members();
    Set<NodeId> voters = range.replicas().voters();
    List<String> others =
        voters.stream()
            .filter(voter -> !voter.equals(node.self()) && members.alive().contains(voter))
            .map(NodeId::value)
            .sorted()
            .toList();
    if (2 * others.size() <= voters.size()) {
      return failed(
          ("cannot rebuild range %s: it has no majority without this node, so entries that only "
                  + "this replica holds would be lost; voters: %s, other voters that are up: %s")
              .formatted(name, voters.stream().map(NodeId::value).sorted().toList(), others));
    }
    stores.ranges().rebuildLimit().request(replica.descriptor().id());
    return new Answer(
        Answer.DONE,
        ("rebuilding this node's replica of range %s: its group removes it, then an empty "
                    + "replica fetches a snapshot; see status")
                .formatted(name)
            + away(members));
  }

  private @Nullable RangeDescriptor published(String name) {
    return ranges().stream()
        .filter(one -> one.id().toString().equals(name))
        .findFirst()
        .orElse(null);
  }

  private Answer lowerClock(String name) {
    return reshape(
        name,
        "set back to cluster time",
        range ->
            stores
                .clocks()
                .lower(range)
                .thenApply(
                    ahead ->
                        "the clock of range %s was %d s ahead and is set back"
                            .formatted(name, ahead.toSeconds())));
  }

  private Answer reshape(
      String name, String what, Function<RangeId, CompletableFuture<String>> change) {
    RangeDescriptor range = published(name);
    if (range == null) {
      return failed("unknown range '" + name + "'; 'bin/standalone.sh status' lists the ranges");
    }
    String why;
    try {
      return new Answer(
          Answer.DONE, change.apply(range.id()).get(RESHAPE_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      why = String.valueOf((e.getCause() == null ? e : e.getCause()).getMessage());
    } catch (TimeoutException e) {
      return failed(
          "range %s was not %s within %d s; it may still happen, see status"
              .formatted(name, what, RESHAPE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      why = "the node is stopping";
    }
    return failed("range %s was not %s: %s".formatted(name, what, why));
  }

  private static String away(Members members) {
    String down =
        members.byNode().values().stream()
            .filter(member -> !member.isAlive())
            .map(member -> member.node().value())
            .sorted()
            .collect(Collectors.joining(", "));
    return down.isEmpty()
        ? ""
        : "; waiting for nodes that are down (" + down + "): restart or remove them";
  }

  private boolean hasVoteOf(RangeDescriptor range) {
    return range.replicas().voters().contains(node.self());
  }

  private List<RangeDescriptor> ranges() {
    List<RangeDescriptor> all = new ArrayList<>();
    stores.names().forEach(store -> all.addAll(stores.directory().ranges(store)));
    return all;
  }

  /**
   * Makes a change of the metadata and waits for it; returns null, or the reason for the failure.
   * Retries while the metadata group has no leader, so a change may be made twice.
   */
  private static @Nullable String await(Supplier<CompletableFuture<?>> change) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WRITE_SECONDS);
    while (true) {
      Throwable failure;
      try {
        change.get().get(WRITE_SECONDS, TimeUnit.SECONDS);
        return null;
      } catch (ExecutionException e) {
        failure = e.getCause() == null ? e : e.getCause();
      } catch (TimeoutException e) {
        return "no answer within " + WRITE_SECONDS + " s";
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return "the node is stopping";
      }
      if (!(failure instanceof ConsensusException) || System.nanoTime() > deadline) {
        return String.valueOf(failure.getMessage());
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }
}
