package io.fjordmq.broker.trace;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a trace on one node, a part of the file at a time. Not thread-safe. */
final class NodeLines {
  private final String node;
  private final TraceLogs logs;
  private final Trace trace;
  private byte[] buffer = {};
  private int next;
  private int end = -1; // the line break after the next line; -1 if it is not known
  private @Nullable String line;
  private long position;
  private boolean isAtEnd;
  private @Nullable String problem;

  NodeLines(String node, TraceLogs logs, Trace trace) {
    this.node = node;
    this.logs = logs;
    this.trace = trace;
  }

  /** The reason why the node's lines are incomplete; null if they are not. */
  @Nullable String problem() {
    return problem;
  }

  /** Whether a line is available, or there are no more lines. */
  boolean isReady() {
    return isAtEnd || problem != null || end >= 0;
  }

  /** The next line, without its line break; null if there are no more. */
  @Nullable String peek() {
    if (line == null && end >= 0) {
      line = new String(buffer, next, end - next, StandardCharsets.UTF_8);
    }
    return line;
  }

  void remove() {
    next = end + 1;
    end = lineEnd();
    line = null;
  }

  private int lineEnd() {
    for (int i = next; i < buffer.length; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  /** Reads more lines; never fails. */
  CompletableFuture<Void> fill() {
    return logs.read(trace, node, position, TraceCall.ReadFile.MAX_BYTES)
        .handle(
            (part, failure) -> {
              if (failure != null) {
                problem = TraceLogs.reason(failure);
              } else if (part.bytes().length == 0) {
                isAtEnd = true; // the rest is a line that the node is still writing
              } else {
                append(part.bytes());
              }
              return null;
            });
  }

  private void append(byte[] bytes) {
    int rest = buffer.length - next;
    byte[] joined =
        Arrays.copyOf(Arrays.copyOfRange(buffer, next, buffer.length), rest + bytes.length);
    System.arraycopy(bytes, 0, joined, rest, bytes.length);
    buffer = joined;
    next = 0;
    end = lineEnd();
    position += bytes.length;
  }
}
