package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.ClusterCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The number of voters per range, for each store.
 *
 * @param dist the store of routes
 * @param inbox the store of persistent sessions
 * @param retain the store of retained messages
 */
record VoterCounts(
    @Field(
            value = "Voters per range of the dist store, which contains " + "routes",
            min = 1,
            max = ClusterCommands.MAX_VOTERS)
        @Nullable Integer dist,
    @Field(
            value = "Voters per range of the inbox store, which contains persistent sessions",
            min = 1,
            max = ClusterCommands.MAX_VOTERS)
        @Nullable Integer inbox,
    @Field(
            value = "Voters per range of the retain store, which contains retained messages",
            min = 1,
            max = ClusterCommands.MAX_VOTERS)
        @Nullable Integer retain) {

  static VoterCounts of(Map<String, Integer> byStore) {
    return new VoterCounts(byStore.get("dist"), byStore.get("inbox"), byStore.get("retain"));
  }

  /** The command that sets the counts that are present. */
  String[] command() {
    List<String> words = new ArrayList<>(List.of("voters"));
    add(words, "dist", dist);
    add(words, "inbox", inbox);
    add(words, "retain", retain);
    return words.toArray(new String[0]);
  }

  private static void add(List<String> words, String store, @Nullable Integer count) {
    if (count != null) {
      words.add(store + "=" + count);
    }
  }
}
