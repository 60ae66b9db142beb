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
 * What an operator can change of a running cluster, at any of its nodes: how many voters ranges
 * have, who belongs to it (decision 0024), that ranges are split or merged, that a merge or a move
 * of votes is canceled, that a replica is rebuilt, and that the clock of a range that is ahead is
 * set back (0037). For one thread; blocks, for seconds at most.
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
   * @param own how many voters this node's configuration wants; counts for a new cluster only
   */
  ClusterCommands(ClusterNode node, Stores stores, List<StorePlacement> own) {
    this.node = node;
    this.stores = stores;
    this.own = own;
  }

  /** Says in the log what of this node's configuration does not count. */
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
            "'%s' is none of %s with a number from 1 to %d, such as inbox=3"
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
        return failed("the voters could not be changed, or it is not known: " + failure);
      }
    }
    String now =
        counts().stream()
            .map(store -> store.store() + "=" + store.voters())
            .collect(Collectors.joining(" "));
    int nodes = node.membership().members().byNode().size();
    boolean tooFew = counts().stream().anyMatch(store -> store.voters() > nodes);
    return new Answer(
        Answer.DONE, now + (tooFew ? " (as many as there are nodes, now " + nodes + ")" : ""));
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
      return misused("'" + id + "' is no id of a node; status shows them");
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
            "range %s has no majority without node %s, its data would be lost: bring back a node of %s first"
                .formatted(range.id(), id, voters));
      }
    }
    String failure = await(() -> node.membership().remove(gone));
    return failure == null
        ? new Answer(
            Answer.DONE,
            "node " + id + " is removed; what it held is given to others. Its id never comes back")
        : failed("not removed: " + failure);
  }

  /** To be repeated until it is done: what this node has goes to others meanwhile. */
  private Answer leave() {
    ClusterMembership membership = node.membership();
    Members members = membership.members();
    boolean others =
        members.byNode().values().stream()
            .anyMatch(
                member ->
                    member.state() == Member.State.UP && !member.node().equals(membership.self()));
    if (!others) {
      return failed("there is no other node that is up and could take over what this one has");
    }
    Member self = members.find(membership.self());
    if (self == null || self.state() != Member.State.LEAVING) {
      String failure = await(membership::leave);
      if (failure != null) {
        return failed("the cluster cannot be asked to take over: " + failure);
      }
    }
    long votes = ranges().stream().filter(this::hasVoteOf).count();
    boolean metadata = node.metadata().status().replicas().voters().contains(membership.self());
    if (votes > 0 || metadata) {
      return new Answer(
          Answer.NOT_YET,
          "gives away its votes: of %d ranges%s"
                  .formatted(votes, metadata ? " and of the metadata" : "")
              + away(members));
    }
    membership.goForGood();
    return new Answer(Answer.DONE, "votes for nothing any more");
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
                        "range %s is split at %s; status shows its parts in a moment"
                            .formatted(name, HexFormat.of().formatHex(key))));
  }

  private Answer merge(String name) {
    return reshape(
        name,
        "merged with the next",
        range ->
            stores
                .merges()
                .merge(range)
                .thenApply(done -> "range %s has taken in the one that followed".formatted(name)));
  }

  private Answer cancel(String name) {
    return reshape(
        name,
        "changed",
        range ->
            stores
                .pending()
                .cancel(range)
                .thenApply(
                    done ->
                        "canceled; if a merge of range %s has begun, it ends in a moment: see status"
                            .formatted(name)));
  }

  /** Of this node's replica; done by the driver of placement, step by step. */
  private Answer rebuild(String name) {
    ReplicaStatus replica =
        stores.ranges().status().stream()
            .filter(one -> one.descriptor().id().toString().equals(name))
            .findFirst()
            .orElse(null);
    RangeDescriptor range = published(name);
    if (replica == null || range == null) {
      return failed(
          "this node has no replica of range '%s'; run the command on a node that has one, see status"
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
          "range %s has no majority without this node, so entries that only this replica holds would be lost: its voters are %s, up besides this node: %s"
              .formatted(name, voters.stream().map(NodeId::value).sorted().toList(), others));
    }
    stores.ranges().rebuilds().request(replica.descriptor().id());
    return new Answer(
        Answer.DONE,
        "rebuilding this node's replica of range %s: its group removes it, then an empty one fetches a snapshot; see status"
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
        "given the cluster's time",
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
      return failed("there is no range '" + name + "'; status shows them");
    }
    String why;
    try {
      return new Answer(
          Answer.DONE, change.apply(range.id()).get(RESHAPE_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      why = String.valueOf((e.getCause() == null ? e : e.getCause()).getMessage());
    } catch (TimeoutException e) {
      return failed(
          "range %s was not %s within %d s, and may still be: status shows it"
              .formatted(name, what, RESHAPE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      why = "the node stops";
    }
    return failed("range %s is not %s: %s".formatted(name, what, why));
  }

  private static String away(Members members) {
    String down =
        members.byNode().values().stream()
            .filter(member -> !member.isAlive())
            .map(member -> member.node().value())
            .sorted()
            .collect(Collectors.joining(", "));
    return down.isEmpty() ? "" : "; " + down + " is down and may have to come back or be removed";
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
   * Null if it is done; otherwise why not. Tried again while nobody leads the metadata: each change
   * may be made twice.
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
        return "the node stops";
      }
      if (!(failure instanceof ConsensusException) || System.nanoTime() > deadline) {
        return String.valueOf(failure.getMessage());
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }
}
