package io.fjordmq.broker.admin;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.placement.VoterCounts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows and sets the number of voters for the ranges of each store (decision 0024). Not
 * thread-safe; each command blocks until the change has been made or has timed out.
 */
final class VoterCommands {
  private static final Logger LOG = LoggerFactory.getLogger(VoterCommands.class);

  private final ClusterNode node;
  private final List<StorePlacement> configured;

  /**
   * @param configured voter counts from this node's configuration, which apply only to a new
   *     cluster
   */
  VoterCommands(ClusterNode node, List<StorePlacement> configured) {
    this.node = node;
    this.configured = configured;
  }

  /**
   * Logs every voter count of the given stores that differs between this node's configuration and
   * the cluster.
   */
  void logDifferences(Set<String> storesWithVoterCount) {
    List<StorePlacement> counts = counts();
    for (int i = 0; i < configured.size(); i++) {
      StorePlacement mine = configured.get(i);
      StorePlacement theirs = counts.get(i);
      if (storesWithVoterCount.contains(mine.store()) && mine.voters() != theirs.voters()) {
        LOG.warn(
            "Ignoring storeConfig.{}.replicaVoterCount: this node has {}, but the cluster uses "
                + "{}; to change it for the cluster, run 'bin/standalone.sh voters {}={}'",
            mine.store(),
            mine.voters(),
            theirs.voters(),
            mine.store(),
            mine.voters());
      }
    }
  }

  private List<StorePlacement> counts() {
    return VoterCounts.withStoredCounts(node.metadata().view(), configured);
  }

  /** The number of voters of each store. */
  Map<String, Integer> byStore() {
    Map<String, Integer> byStore = new LinkedHashMap<>();
    counts().forEach(store -> byStore.put(store.store(), store.voters()));
    return byStore;
  }

  /** Sets the given voter counts and returns the counts of all stores. */
  CommandResult voters(List<String> settings) {
    List<Change> batch = new ArrayList<>();
    Set<String> named = new HashSet<>();
    for (String setting : settings) {
      StorePlacement wanted = parse(setting);
      if (wanted == null || !named.add(wanted.store())) {
        return CommandResult.usageError(
            ("invalid voter count '%s': expected STORE=NUMBER, where STORE is one of %s and is"
                    + " given at most once, and NUMBER is from 1 to %d; example: inbox=3")
                .formatted(
                    setting,
                    configured.stream()
                        .map(StorePlacement::store)
                        .collect(Collectors.joining(", ")),
                    StorePlacement.MAX_VOTERS));
      }
      batch.add(VoterCounts.change(wanted));
    }
    if (!batch.isEmpty()) {
      String failure =
          MetadataChange.await(
              () ->
                  node.membership()
                      .write(batch)
                      .thenCompose(
                          written -> node.metadata().readView().handle((view, failed) -> written)));
      if (failure != null) {
        return CommandResult.failed(
            "the change to the voter counts was not confirmed and may still take effect: "
                + failure);
      }
    }
    String current =
        counts().stream()
            .map(store -> store.store() + "=" + store.voters())
            .collect(Collectors.joining(" "));
    int nodes = node.membership().members().byNode().size();
    boolean tooFew = counts().stream().anyMatch(store -> store.voters() > nodes);
    return CommandResult.done(
        current + (tooFew ? " (limited by the number of nodes, currently " + nodes + ")" : ""));
  }

  private @Nullable StorePlacement parse(String setting) {
    for (StorePlacement store : configured) {
      if (setting.matches(store.store() + "=[1-" + StorePlacement.MAX_VOTERS + "]")) {
        int voters = setting.charAt(setting.length() - 1) - '0';
        return new StorePlacement(store.store(), voters, store.onEveryNode());
      }
    }
    return null;
  }
}
