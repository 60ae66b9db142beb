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
 * @param space whether a copy fits on the disk
 * @param transport null if this node talks to no other
 */
record SnapshotExchange(
    NodeId self,
    Path outgoing,
    Path incoming,
    SnapshotExports exports,
    SnapshotSpace space,
    @Nullable RaftTransport transport) {

  private static final String SCHEME = "fjord://";

  /** A copy that a node offers. */
  record Offer(NodeId source, long id) {}

  long offer(GroupId group, SnapshotExport.Exporter exporter, CheckpointRecord checkpoint) {
    return exports.offer(group, exporter, checkpoint, outgoing);
  }

  void withdraw(long offer) {
    exports.withdraw(offer);
  }

  /** The replica of the group closes. */
  void withdrawAll(GroupId group) {
    exports.withdrawAll(group);
  }

  /** Names an offer to other nodes. */
  String uri(long offer) {
    return SCHEME + self + "/" + offer;
  }

  /** The offer that the uri names, null if it is none of ours. */
  static @Nullable Offer offer(String uri) {
    int slash = uri.lastIndexOf('/');
    if (!uri.startsWith(SCHEME) || slash < SCHEME.length()) {
      return null;
    }
    NodeId source = new NodeId(uri.substring(SCHEME.length(), slash));
    return new Offer(source, Long.parseLong(uri.substring(slash + 1)));
  }

  /**
   * @return null if the uri is none of ours or this node has no transport
   */
  @Nullable SnapshotFetch fetch(String uri, String directory) {
    Offer offer = offer(uri);
    RaftTransport to = transport;
    return to == null || offer == null
        ? null
        : new SnapshotFetch(
            uri,
            offer.id(),
            incoming.resolve(directory),
            to.source(offer.source()),
            space,
            to.settings(),
            SnapshotFetch.Clock.SYSTEM,
            to.workers().fetching());
  }

  /** Until it is closed, the source is told that the copy is being installed. */
  InstallNotice installing(String uri) {
    Offer offer = offer(uri);
    return transport == null || offer == null
        ? InstallNotice.NONE
        : transport.announceInstall(offer.source(), offer.id());
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
