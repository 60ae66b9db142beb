package io.fjordmq.broker.trace;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Merges the lines of several nodes by time, up to a maximum size. Memory is bounded by that size
 * and one part of a file for each node. Used once.
 */
final class MergedLines {
  private final List<NodeLines> nodes;
  private final TraceFormat format;
  private final int maxBytes;
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();

  MergedLines(List<NodeLines> nodes, Trace trace, int maxBytes) {
    this.nodes = nodes;
    this.format = trace.format();
    this.maxBytes = maxBytes;
    StringBuilder header = new StringBuilder();
    new TraceText(header)
        .field("trace", trace.name())
        .field(trace.type().label(), trace.value())
        .field("start_at", trace.startAt().toString())
        .field("end_at", trace.endAt().toString());
    add(format.comment(header.substring(1)));
  }

  CompletableFuture<byte[]> read() {
    Optional<NodeLines> empty = nodes.stream().filter(node -> !node.isReady()).findFirst();
    if (empty.isPresent()) {
      // On another thread, because many small reads would otherwise be nested.
      return empty.get().fill().thenComposeAsync(filled -> read());
    }
    NodeLines first = first();
    while (first != null && text.size() < maxBytes) {
      add(String.valueOf(first.peek()));
      first.remove();
      if (!first.isReady()) {
        return read();
      }
      first = first();
    }
    finish(first != null);
    return CompletableFuture.completedFuture(text.toByteArray());
  }

  /** The node with the earliest line; null if there are no more lines. */
  private @Nullable NodeLines first() {
    NodeLines first = null;
    String earliest = null;
    for (NodeLines node : nodes) {
      String line = node.peek();
      if (line != null && (earliest == null || line.compareTo(earliest) < 0)) {
        first = node;
        earliest = line;
      }
    }
    return first;
  }

  private void finish(boolean hasMore) {
    for (NodeLines node : nodes) {
      if (node.problem() != null) {
        add(format.comment("incomplete: " + node.problem()));
      }
    }
    if (hasMore) {
      add(
          format.comment(
              "more lines follow: this response is limited to "
                  + maxBytes
                  + " bytes; read the rest with /trace/{name}/log"));
    }
  }

  private void add(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    text.write(bytes, 0, bytes.length);
    text.write('\n');
  }
}
