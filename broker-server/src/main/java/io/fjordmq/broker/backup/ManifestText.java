package io.fjordmq.broker.backup;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file of a manifest, which people can read. Every line ends with {@code \n}; times are in UTC,
 * keys in hexadecimal digits, and {@code -} is the end of all keys.
 *
 * <pre>
 * fjordmq backup, format 2
 * cluster ID
 * version VERSION
 * level LEVEL                                                               not in format 1
 * started TIME
 * finished TIME
 * node ID INCARNATION                                                            any number
 * metadata FILE BYTES SHA256 ROWS
 * range FILE BYTES SHA256 ROWS STORE NUMBER EPOCH APPLIED ":"FIRST-KEY ":"END-KEY  any number
 * sha256 CHECKSUM                                            of everything before this line
 * </pre>
 *
 * <p>A backup of level 1 has format 1, so that the releases that know only this level can read it.
 */
final class ManifestText {
  private static final String FORMAT_PREFIX = "fjordmq backup, format ";
  private static final String WITHOUT_LEVEL = FORMAT_PREFIX + 1;
  private static final String WITH_LEVEL = FORMAT_PREFIX + 2;
  private static final String NO_END = "-";
  private static final HexFormat HEX = HexFormat.of();

  private final List<String> lines;
  private int position;

  private ManifestText(List<String> lines) {
    this.lines = lines;
  }

  static String format(Manifest manifest) {
    boolean hasLevel = manifest.level() != SupportedLevels.FIRST;
    StringBuilder text = new StringBuilder();
    line(text, hasLevel ? WITH_LEVEL : WITHOUT_LEVEL);
    line(text, "cluster", manifest.cluster());
    line(text, "version", manifest.version());
    if (hasLevel) {
      line(text, "level", manifest.level());
    }
    line(text, "started", manifest.started());
    line(text, "finished", manifest.finished());
    manifest.nodes().forEach(node -> line(text, "node", node.node(), node.incarnation()));
    line(text, "metadata", file(manifest.metadata()));
    for (BackupRange range : manifest.ranges()) {
      line(
          text,
          "range",
          file(range.file()),
          range.id().store(),
          range.id().number(),
          range.epochVersion(),
          range.appliedIndex(),
          key(range.keys().start()),
          key(range.keys().end()));
    }
    return text + "sha256 " + Sha256.of(text.toString().getBytes(StandardCharsets.UTF_8)) + "\n";
  }

  private static void line(StringBuilder text, Object... words) {
    for (int i = 0; i < words.length; i++) {
      text.append(i == 0 ? "" : " ").append(words[i]);
    }
    text.append('\n');
  }

  private static String file(BackupFile file) {
    return "%s %d %s %d".formatted(file.name(), file.bytes(), file.sha256(), file.rows());
  }

  private static String key(byte @Nullable [] key) {
    return key == null ? NO_END : ":" + HEX.formatHex(key);
  }

  /**
   * Reads a manifest.
   *
   * @throws BackupException if it is damaged, incomplete or has a newer format
   */
  static Manifest parse(String text) throws BackupException {
    String first = text.lines().findFirst().orElse("");
    boolean isKnown = first.equals(WITHOUT_LEVEL) || first.equals(WITH_LEVEL);
    if (!isKnown && first.matches(FORMAT_PREFIX + "[0-9]+")) {
      throw new BackupException(
          "the backup has format %s, but this version of FjordMQ reads formats 1 and 2; use the version that wrote it or a newer one"
              .formatted(first.substring(FORMAT_PREFIX.length())));
    }
    if (!isKnown) {
      throw new BackupException("the manifest is damaged: unexpected first line");
    }
    int last = text.lastIndexOf("\nsha256 ") + 1;
    String body = text.substring(0, last);
    String checksum = "sha256 " + Sha256.of(body.getBytes(StandardCharsets.UTF_8)) + "\n";
    if (!text.substring(last).equals(checksum)) {
      throw new BackupException("the manifest is damaged or truncated: checksum mismatch");
    }
    try {
      return new ManifestText(body.lines().skip(1).toList()).read(first.equals(WITH_LEVEL));
    } catch (IllegalArgumentException | DateTimeException | IndexOutOfBoundsException e) {
      throw new BackupException("the manifest is invalid: " + e.getMessage(), e);
    }
  }

  private Manifest read(boolean hasLevel) {
    String cluster = value("cluster");
    String version = value("version");
    int level = hasLevel ? Integer.parseInt(value("level")) : SupportedLevels.FIRST;
    Instant started = Instant.parse(value("started"));
    Instant finished = Instant.parse(value("finished"));
    List<SourceNode> nodes = new ArrayList<>();
    while (isNext("node")) {
      String[] words = words("node", 2);
      nodes.add(new SourceNode(new NodeId(words[0]), Long.parseLong(words[1])));
    }
    BackupFile metadata = file(words("metadata", 4));
    List<BackupRange> ranges = new ArrayList<>();
    while (position < lines.size()) {
      ranges.add(range(words("range", 10)));
    }
    return new Manifest(cluster, version, level, started, finished, nodes, metadata, ranges);
  }

  private boolean isNext(String name) {
    return position < lines.size() && lines.get(position).startsWith(name + " ");
  }

  private String value(String name) {
    return words(name, 1)[0];
  }

  private String[] words(String name, int count) {
    String[] words = lines.get(position++).split(" ", -1);
    if (!words[0].equals(name) || words.length != count + 1) {
      throw new IllegalArgumentException(
          "line %d must be '%s' with %d values".formatted(position + 1, name, count));
    }
    String[] values = new String[count];
    System.arraycopy(words, 1, values, 0, count);
    return values;
  }

  private static BackupFile file(String... words) {
    return new BackupFile(words[0], Long.parseLong(words[1]), words[2], Long.parseLong(words[3]));
  }

  private static BackupRange range(String... words) {
    byte[] start = key(words[8]);
    if (start == null) {
      throw new IllegalArgumentException("a range without a first key");
    }
    byte[] end = key(words[9]);
    return new BackupRange(
        file(words),
        new RangeId(words[4], Long.parseLong(words[5])),
        Long.parseLong(words[6]),
        Long.parseLong(words[7]),
        end == null ? KeyInterval.from(start) : new KeyInterval(start, end));
  }

  private static byte @Nullable [] key(String word) {
    if (word.equals(NO_END)) {
      return null;
    }
    if (!word.startsWith(":")) {
      throw new IllegalArgumentException("invalid key " + word);
    }
    return HEX.parseHex(word.substring(1));
  }
}
