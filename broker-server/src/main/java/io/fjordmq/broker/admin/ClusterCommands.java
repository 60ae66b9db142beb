package io.fjordmq.broker.admin;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.range.placement.StorePlacement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Executes operator commands that change a running cluster: {@link VoterCommands}, {@link
 * NodeCommands}, {@link RangeCommands} and {@link MoveCommands}. Any node accepts them.
 * Thread-safe, but one command at a time: each blocks until its change has been made or has timed
 * out, and until the commands before it have ended.
 */
public final class ClusterCommands {
  /** The greatest number of voters of a range. */
  public static final int MAX_VOTERS = StorePlacement.MAX_VOTERS;

  private static final String USAGE =
      "commands: voters [STORE=NUMBER]..., remove-node ID, leave, split RANGE, merge RANGE,"
          + " cancel RANGE, rebuild RANGE, lower-clock RANGE, accept-clock, upgrade, move RANGE FROM TO,"
          + " move-leader RANGE TO, unpin RANGE;"
          + " see bin/standalone.sh --help";

  private final VoterCommands voters;
  private final NodeCommands nodes;
  private final RangeCommands ranges;
  private final MoveCommands moves;

  /**
   * @param configured voter counts from this node's configuration, which apply only to a new
   *     cluster
   */
  public ClusterCommands(ClusterNode node, Stores stores, List<StorePlacement> configured) {
    this.voters = new VoterCommands(node, configured);
    this.nodes = new NodeCommands(node, stores);
    this.ranges = new RangeCommands(node, stores);
    this.moves = new MoveCommands(node, stores);
  }

  /**
   * Logs every voter count of the given stores that differs between this node's configuration and
   * the cluster.
   */
  public void logDifferences(Set<String> storesWithVoterCount) {
    voters.logDifferences(storesWithVoterCount);
  }

  /**
   * Executes a command. Blocks.
   *
   * @param words the name of the command and its arguments
   */
  public synchronized CommandResult execute(List<String> words) {
    List<String> rest = words.subList(1, words.size());
    return switch (words.get(0)) {
      case "voters" -> voters.voters(rest);
      case "remove-node" -> withOneArgument(rest, nodes::remove);
      case "leave" -> rest.isEmpty() ? nodes.leave() : CommandResult.usageError(USAGE);
      case "accept-clock" -> rest.isEmpty() ? nodes.acceptClock() : CommandResult.usageError(USAGE);
      case "upgrade" -> rest.isEmpty() ? nodes.upgrade() : CommandResult.usageError(USAGE);
      case "split" -> withOneArgument(rest, ranges::split);
      case "merge" -> withOneArgument(rest, ranges::merge);
      case "cancel" -> withOneArgument(rest, ranges::cancel);
      case "rebuild" -> withOneArgument(rest, ranges::rebuild);
      case "lower-clock" -> withOneArgument(rest, ranges::lowerClock);
      case "move" -> withArguments(3, rest, moves::move);
      case "move-leader" -> withArguments(2, rest, moves::moveLeader);
      case "unpin" -> withOneArgument(rest, moves::unpin);
      default -> CommandResult.usageError("unknown command '" + words.get(0) + "'; " + USAGE);
    };
  }

  /** The number of voters of each store, as set for the cluster. Does not block. */
  public Map<String, Integer> voterCounts() {
    return voters.byStore();
  }

  /** Executes a command with exactly one argument. */
  private static CommandResult withOneArgument(
      List<String> arguments, Function<String, CommandResult> command) {
    return withArguments(1, arguments, all -> command.apply(all.get(0)));
  }

  private static CommandResult withArguments(
      int count, List<String> arguments, Function<List<String>, CommandResult> command) {
    return arguments.size() == count ? command.apply(arguments) : CommandResult.usageError(USAGE);
  }
}
