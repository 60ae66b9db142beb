package io.fjordmq.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The file in a data directory that stores the directory's own start counter and the latest known
 * start of every other node.
 *
 * <pre>
 * fjordmq starts, form 1
 * NODE COUNT TOKEN            one line each; the token in hexadecimal digits
 * </pre>
 *
 * <p>A directory without this file was written by an earlier version; its start counter is 0.
 */
final class StartFile {
  static final String NAME = "starts";
  private static final String FORMAT_PREFIX = "fjordmq starts, form ";
  private static final String CURRENT_FORMAT = FORMAT_PREFIX + "1";

  private final Path file;

  StartFile(Path file) {
    this.file = file;
  }

  Map<NodeId, StartStamp> read() throws IOException {
    if (!Files.exists(file)) {
      return Map.of();
    }
    List<String> lines = Files.readAllLines(file);
    String format = lines.isEmpty() ? "" : lines.get(0);
    if (format.startsWith(FORMAT_PREFIX) && !format.equals(CURRENT_FORMAT)) {
      throw unreadable(
          "begins with '%s', a newer format than this version reads: upgrade this node", format);
    }
    if (!format.equals(CURRENT_FORMAT)) {
      throw unreadable("does not begin with '%s'", CURRENT_FORMAT);
    }
    Map<NodeId, StartStamp> stamps = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      try {
        String[] parts = line.split(" ", 3);
        long count = Long.parseLong(parts[1]);
        stamps.put(
            new NodeId(parts[0]), new StartStamp(count, Long.parseUnsignedLong(parts[2], 16)));
      } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
        throw unreadable("has an invalid line: '%s'", line);
      }
    }
    return stamps;
  }

  private FileSystemException unreadable(String reason, String detail) {
    return new FileSystemException(
        file.toString(),
        null,
        "the start counter file "
            + reason.formatted(detail)
            + "; if the file is corrupt, start with an empty data directory to join as a new node,"
            + " and remove the old node from the cluster");
  }

  /** Replaces the file. It is durable when this method returns. */
  void write(Map<NodeId, StartStamp> stamps) throws IOException {
    StringBuilder text = new StringBuilder(CURRENT_FORMAT).append('\n');
    Map<String, StartStamp> sorted = new TreeMap<>();
    stamps.forEach((node, stamp) -> sorted.put(node.value(), stamp));
    sorted.forEach(
        (node, stamp) ->
            text.append(node)
                .append(' ')
                .append(stamp.count())
                .append(' ')
                .append(Long.toHexString(stamp.token()))
                .append('\n'));
    AtomicFile.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
