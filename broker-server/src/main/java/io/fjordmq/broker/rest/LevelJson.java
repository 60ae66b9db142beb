package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.UpgradeProgress;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The level of the cluster. */
record LevelJson(
    @Field("Level of the cluster, which decides which formats its nodes write") int level,
    @Field("When the level was last raised; absent if never") @Nullable Instant raisedAt,
    @Field("When a node first supported a higher level; absent if none does")
        @Nullable Instant upgradeSince,
    @Field("Higher level that all nodes support; absent if there is none") @Nullable Integer next,
    @Field("When the level is raised to `next` automatically; absent if it is not")
        @Nullable Instant raiseAt,
    @Field("Levels that each node supports, including nodes that are down")
        List<NodeLevelsJson> nodes) {

  /** The levels that a node supports. */
  record NodeLevelsJson(
      @Field("Id of the node") String node,
      @Field("Lowest level that it supports") int lowest,
      @Field("Highest level that it supports") int highest) {}

  static LevelJson of(UpgradeProgress view) {
    return new LevelJson(
        view.level(),
        view.raisedAt(),
        view.upgradeSince(),
        view.next(),
        view.raiseAt(),
        view.nodes().stream()
            .map(node -> new NodeLevelsJson(node.node(), node.lowest(), node.highest()))
            .toList());
  }
}
