package io.fjordmq.broker.backup;

import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * The metadata records of a backup: what operators have set up. The others describe the cluster
 * itself. The key that signs tokens is not part of a backup, so that a token of the original
 * cluster is not valid in a restored one.
 */
final class MetadataSelection {
  /** The beginnings of the keys. */
  private static final List<String> PREFIXES =
      List.of(
          "api-key/",
          "ban/",
          "config/overrides",
          "mqtt-decoy-secret",
          "mqtt-rules/",
          "mqtt-user/",
          "topic-metric/",
          "user/");

  private MetadataSelection() {}

  static List<MetadataRecord> of(MetadataView view) {
    List<MetadataRecord> selected = new ArrayList<>();
    PREFIXES.forEach(prefix -> selected.addAll(view.withPrefix(prefix)));
    return selected;
  }

  static boolean includes(String key) {
    return PREFIXES.stream().anyMatch(key::startsWith);
  }

  /** The nodes that the cluster has ever had. */
  static List<SourceNode> nodes(MetadataView view) {
    return NodeRecord.all(view).stream()
        .map(node -> new SourceNode(node.node(), node.incarnation()))
        .toList();
  }
}
