package io.fjordmq.cluster.consensus.transport;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.log.SnapshotDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Offers snapshots of this node's replicas to other nodes, and fetches snapshots from them.
 *
 * @param outgoing contains a directory for each offered snapshot; emptied at startup
 * @param incoming contains a directory for each group that fetches a snapshot
 * @param space checks whether a snapshot fits on the disk
 * @param transport null if this node has no peers
 */
public record SnapshotExchange(
    NodeId self,
    Path outgoing,
    Path incoming,
    SnapshotExports exports,
    SnapshotSpace space,
    @Nullable RaftTransport transport) {

  private static final String SCHEME = "fjord://";

  /** A snapshot that a node offers. */
  record Offer(NodeId source, long id) {}

  public long offer(GroupId group, SnapshotExport.Exporter exporter, CheckpointRecord checkpoint) {
    return exports.offer(group, exporter, checkpoint, outgoing);
  }

  public void withdraw(long offer) {
    exports.withdraw(offer);
  }

  /** Withdraws all snapshots of a group whose replica is closing. */
  public void withdrawAll(GroupId group) {
    exports.withdrawAll(group);
  }

  /** Returns the URI that identifies an offer to other nodes. */
  public String uri(long offer) {
    return SCHEME + self + "/" + offer;
  }

  /** Returns the offer that the URI identifies; null if the URI has another scheme. */
  static @Nullable Offer offer(String uri) {
    int slash = uri.lastIndexOf('/');
    if (!uri.startsWith(SCHEME) || slash < SCHEME.length()) {
      return null;
    }
    NodeId source = new NodeId(uri.substring(SCHEME.length(), slash));
    return new Offer(source, Long.parseLong(uri.substring(slash + 1)));
  }

  /**
   * @return null if the URI has another scheme or this node has no transport
   */
  public @Nullable SnapshotFetch fetch(
      String uri, String directory, SnapshotFetch.Listener listener) {
    Offer offer = offer(uri);
    RaftTransport currentTransport = transport;
    return currentTransport == null || offer == null
        ? null
        : new SnapshotFetch(
            uri,
            offer.id(),
            incoming.resolve(directory),
            currentTransport.source(offer.source()),
            space,
            currentTransport.settings(),
            SnapshotFetch.Clock.SYSTEM,
            currentTransport.workers().fetchExecutor(),
            listener);
  }

  /** Notifies the source that the snapshot is being installed, until the notice is closed. */
  public InstallNotice announceInstall(String uri) {
    Offer offer = offer(uri);
    return transport == null || offer == null
        ? InstallNotice.NONE
        : transport.announceInstall(offer.source(), offer.id());
  }

  /** Deletes snapshots of an earlier process, except those whose installation had begun. */
  public void deleteStale(Set<String> installing) throws IOException {
    SnapshotDirectories.deleteRecursively(outgoing);
    if (Files.exists(incoming)) {
      try (Stream<Path> staleFiles = Files.list(incoming)) {
        staleFiles
            .filter(path -> !installing.contains(path.getFileName().toString()))
            .forEach(SnapshotDirectories::deleteQuietly);
      }
    }
  }
}
