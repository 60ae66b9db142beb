package io.fjordmq.broker.backup;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import io.fjordmq.range.RangeId;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads one range on this or another node. Used by one thread; blocks. */
final class RangeReader implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Nodes nodes;
  private final NodeId node;
  private final ExportedRange range;

  /**
   * The nodes whose ranges can be read.
   *
   * @param source reads the ranges of this node
   */
  record Nodes(NodeId self, RangeSource source, PeerCalls peers) {}

  private RangeReader(Nodes nodes, NodeId node, ExportedRange range) {
    this.nodes = nodes;
    this.node = node;
    this.range = range;
  }

  /**
   * Opens a range on a node.
   *
   * @throws IOException if the node cannot provide it
   */
  static RangeReader open(Nodes nodes, NodeId node, RangeId id) throws IOException {
    CompletableFuture<ExportedRange> opened =
        node.equals(nodes.self)
            ? nodes.source.open(id)
            : nodes
                .peers
                .call(node, RangeSource.SERVICE, new BackupCall.Open(id).encode(), TIMEOUT)
                .thenApply(BackupCall.Open::decodeResponse);
    return new RangeReader(nodes, node, await(opened, "open range " + id + " on node " + node));
  }

  ExportedRange range() {
    return range;
  }

  RowBlock next() throws IOException {
    CompletableFuture<RowBlock> block =
        node.equals(nodes.self)
            ? nodes.source.read(range.export())
            : nodes
                .peers
                .call(
                    node,
                    RangeSource.SERVICE,
                    new BackupCall.Read(range.export()).encode(),
                    TIMEOUT)
                .thenApply(BackupCall.Read::decodeResponse);
    return await(block, "read range " + range.descriptor().id() + " on node " + node);
  }

  private static <T> T await(CompletableFuture<T> future, String what) throws IOException {
    try {
      return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable failure = e.getCause();
      Throwable cause = failure == null ? e : OperationException.unwrap(failure);
      if (cause instanceof MalformedBytesException malformed) {
        throw malformed;
      }
      throw new IOException("cannot " + what + ": " + cause.getMessage(), cause);
    } catch (TimeoutException e) {
      throw new IOException(
          "cannot " + what + ": no response within " + TIMEOUT.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("cannot " + what + ": interrupted", e);
    }
  }

  /** Lets the node release the data, without waiting for it. */
  @Override
  public void close() {
    if (node.equals(nodes.self)) {
      nodes.source.close(range.export());
    } else {
      // If this fails, the node closes the export after a minute.
      nodes.peers.call(
          node, RangeSource.SERVICE, new BackupCall.Close(range.export()).encode(), TIMEOUT);
    }
  }
}
