package io.fjordmq.broker.drain;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The MQTT 5 Server References of the nodes (§4.13), which tell clients where to reconnect. Each
 * node writes its own reference to the metadata key {@code server-reference/<node>}, encoded as
 * UTF-8. Thread-safe.
 */
public final class ServerReferences {
  private static final Logger LOG = LoggerFactory.getLogger(ServerReferences.class);
  private static final String PREFIX = "server-reference/";

  private final Membership membership;
  private final MetadataGroup metadata;

  public ServerReferences(Membership membership, MetadataGroup metadata) {
    this.membership = membership;
    this.metadata = metadata;
  }

  /**
   * Writes this node's reference if it has changed. The future completes normally even if the write
   * fails.
   */
  public CompletableFuture<Void> publish(String reference) {
    String key = PREFIX + membership.self().value();
    if (reference.equals(of(membership.self()))) {
      return CompletableFuture.completedFuture(null);
    }
    return membership
        .write(List.of(Change.put(key, reference.getBytes(StandardCharsets.UTF_8))))
        .handle(
            (written, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "Failed to publish clusterConfig.serverReference; draining nodes will not send"
                        + " it to clients: {}",
                    failure.toString());
              }
              return null;
            });
  }

  /** Returns the reference of another node that is up; empty if no such node has one. */
  String ofOtherNode() {
    Members members = membership.members();
    return members.counted().stream()
        .filter(node -> !node.equals(membership.self()))
        .map(this::of)
        .filter(reference -> !reference.isEmpty())
        .findAny()
        .orElse("");
  }

  private String of(NodeId node) {
    MetadataRecord record = metadata.view().get(PREFIX + node.value());
    return record == null ? "" : new String(record.value(), StandardCharsets.UTF_8);
  }
}
