package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiClient;
import io.fjordmq.cli.api.ApiPath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The lines of a trace on all nodes, sorted by time. Reads a part of each file at a time. Not
 * thread-safe.
 */
final class TraceLog {
  private static final int PART_BYTES = 256 << 10;

  private final ApiClient api;
  private final String trace;
  private final TraceTenantOption tenant;
  private final List<NodeFile> files = new ArrayList<>();

  /** The file of one node. */
  private final class NodeFile {
    private final String node;
    private final ArrayDeque<String> lines = new ArrayDeque<>();
    private String rest = "";
    private long position;
    private boolean isAtEnd;
    private boolean isComplete;

    private NodeFile(String node) {
      this.node = node;
    }

    private @Nullable String peek() {
      while (lines.isEmpty() && !isAtEnd) {
        read();
      }
      return lines.peek();
    }

    private void read() {
      JsonNode part =
          api.get(
                  tenant
                      .applyTo(ApiPath.of(TraceCommand.TRACE, trace, "log"))
                      .with("node", node)
                      .with("position", position)
                      .with("bytes", PART_BYTES))
              .json();
      position = part.path("meta").path("position").asLong(position);
      String hint = part.path("meta").path("hint").asString("");
      isAtEnd = !hint.isEmpty();
      isComplete = hint.equals("eof");
      String text = rest + part.path("items").asString("");
      int start = 0;
      for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        lines.add(text.substring(start, end));
        start = end + 1;
      }
      rest = text.substring(start);
    }
  }

  /**
   * @throws io.fjordmq.cli.api.ApiFailure if the trace does not exist
   */
  TraceLog(ApiClient api, String trace, TraceTenantOption tenant) {
    this.api = api;
    this.trace = trace;
    this.tenant = tenant;
    api.get(tenant.applyTo(ApiPath.of(TraceCommand.TRACE, trace, "log_detail")))
        .json()
        .forEach(file -> files.add(new NodeFile(file.path("node").asString(""))));
  }

  /**
   * Returns the next line; null if there is none yet.
   *
   * @throws io.fjordmq.cli.api.ApiFailure if a node does not respond
   */
  @Nullable String next() {
    NodeFile first = null;
    String earliest = null;
    for (NodeFile file : files) {
      String line = file.peek();
      if (line != null && (earliest == null || line.compareTo(earliest) < 0)) {
        first = file;
        earliest = line;
      }
    }
    if (first == null) {
      files.forEach(file -> file.isAtEnd = file.isComplete); // for the next attempt
      return null;
    }
    first.lines.remove();
    return earliest;
  }

  /** Whether all lines have been read and the trace has ended. */
  boolean isComplete() {
    return files.stream().allMatch(file -> file.isComplete && file.lines.isEmpty());
  }
}
