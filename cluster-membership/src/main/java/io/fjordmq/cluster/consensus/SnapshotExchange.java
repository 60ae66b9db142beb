package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How this node's replicas give copies of their states to other nodes and get them from there.
 *
 * @param outgoing holds a directory for each copy offered; emptied at start
 * @param incoming holds a directory for each group that fetches one
 * @param transport null if this node talks to no other
 */
record SnapshotExchange(
    NodeId self,
    Path outgoing,
    Path incoming,
    SnapshotExports exports,
    @Nullable RaftTransport transport) {

  private static final String SCHEME = "fjord://";

  long offer(SnapshotExport.Exporter exporter, CheckpointRecord checkpoint) {
    return exports.offer(exporter, checkpoint, outgoing);
  }

  void withdraw(long offer) {
    exports.withdraw(offer);
  }

  /** Names an offer to other nodes. */
  String uri(long offer) {
    return SCHEME + self + "/" + offer;
  }

  /**
   * @return null if the uri is none of ours or this node has no transport
   */
  @Nullable SnapshotFetch fetch(String uri, String directory) {
    int slash = uri.lastIndexOf('/');
    if (transport == null || !uri.startsWith(SCHEME) || slash < SCHEME.length()) {
      return null;
    }
    NodeId source = new NodeId(uri.substring(SCHEME.length(), slash));
    long offer = Long.parseLong(uri.substring(slash + 1));
    return new SnapshotFetch(source, offer, incoming.resolve(directory), transport);
  }

  /** Removes copies that an earlier process left, except those it had begun to install. */
  void clean(Set<String> installing) throws IOException {
    Directories.deleteRecursively(outgoing);
    if (Files.exists(incoming)) {
      try (Stream<Path> left = Files.list(incoming)) {
        left.filter(path -> !installing.contains(path.getFileName().toString()))
            .forEach(Directories::deleteQuietly);
      }
    }
  }
}
