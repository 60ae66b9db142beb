package io.fjordmq.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Identifies this node and its cluster. It is written to the data directory once, at the first
 * start. The file also records the format version of the directory.
 *
 * @param node the permanent id of this node
 * @param clusterId the permanent id of its cluster; nodes with different cluster ids reject each
 *     other
 */
public record NodeIdentity(NodeId node, String clusterId) {
  /*
   * The file node.id is human-readable text; every line ends with \n:
   *
   *   fjordmq data directory, form 1
   *   node 3f9c0a7be21d
   *   cluster 51c7d2e9a0b4f836
   */
  static final String FILE = "node.id";

  /** The name of the file of a node that waits for a cluster. */
  public static final String FORMING_FILE = "forming";

  private static final String FORMAT_PREFIX = "fjordmq data directory, form ";
  private static final String CURRENT_FORMAT = FORMAT_PREFIX + "1";
  private static final String CLUSTER_ID = "[a-zA-Z0-9_-]{1,64}";

  /** The file that requests to restore a backup at the first start. */
  public static final String RESTORE_FILE = "restore";

  /** The directory with a downloaded backup until it has been restored. */
  public static final String RESTORE_FOLDER = "restore-files";

  /** Files that a data directory may hold before the identity is stored. */
  private static final List<String> FILES_BEFORE_IDENTITY =
      List.of(
          DataDirectory.LOCK_FILE,
          FILE + AtomicFile.TEMPORARY_SUFFIX,
          FORMING_FILE,
          FORMING_FILE + AtomicFile.TEMPORARY_SUFFIX,
          RESTORE_FILE,
          RESTORE_FILE + AtomicFile.TEMPORARY_SUFFIX,
          RESTORE_FOLDER,
          "lost+found");

  /**
   * @throws IllegalArgumentException if the cluster id is not 1 to 64 letters, digits, '-' or '_'
   */
  public NodeIdentity {
    if (!clusterId.matches(CLUSTER_ID)) {
      throw new IllegalArgumentException(
          "cluster id must be 1 to 64 letters, digits, '-' or '_', not '" + clusterId + "'");
    }
  }

  /** Generates the identity of a new node in a new cluster. */
  public static NodeIdentity random(RandomGenerator random) {
    return new NodeIdentity(new NodeId(hex(random, 12)), hex(random, 16));
  }

  /**
   * Reads the identity from the directory; empty if the directory is new.
   *
   * @throws FileSystemException if the directory has an unsupported format or is not a data
   *     directory; the message tells the operator what to do
   */
  public static Optional<NodeIdentity> load(DataDirectory directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (Files.exists(file)) {
      return Optional.of(parse(file, Files.readString(file)));
    }
    try (Stream<Path> files = Files.list(directory.path())) {
      Optional<String> unexpected =
          files
              .map(path -> path.getFileName().toString())
              .filter(name -> !FILES_BEFORE_IDENTITY.contains(name))
              .findFirst();
      if (unexpected.isPresent()) {
        throw new FileSystemException(
            directory.path().toString(),
            null,
            "the directory holds '%s' but no '%s', so it is not the data directory of a node;"
                    .formatted(unexpected.get(), FILE)
                + " choose an empty directory");
      }
    }
    return Optional.empty();
  }

  /**
   * Stores this identity in a new directory. It is durable when this method returns.
   *
   * @throws FileSystemException if the directory already has an identity or is not empty
   */
  public void store(DataDirectory directory) throws IOException {
    if (load(directory).isPresent()) {
      throw new FileSystemException(
          directory.path().toString(), null, "the data directory already belongs to a node");
    }
    replaceIn(directory);
  }

  /**
   * Replaces the identity of a directory, which thereby belongs to another node and cluster. It is
   * durable when this method returns. Everything else in the directory must have been changed
   * before.
   */
  public void replaceIn(DataDirectory directory) throws IOException {
    String text = CURRENT_FORMAT + "\nnode " + node + "\ncluster " + clusterId + "\n";
    AtomicFile.replace(directory.resolve(FILE), text.getBytes(StandardCharsets.UTF_8));
  }

  private static NodeIdentity parse(Path file, String text) throws FileSystemException {
    List<String> lines = text.lines().toList();
    String format = lines.isEmpty() ? "" : lines.get(0);
    if (format.startsWith(FORMAT_PREFIX) && !format.equals(CURRENT_FORMAT)) {
      throw new FileSystemException(
          file.toString(),
          null,
          "the data directory has format %s, but this version of FjordMQ reads format %s;"
                  .formatted(
                      format.substring(FORMAT_PREFIX.length()),
                      CURRENT_FORMAT.substring(FORMAT_PREFIX.length()))
              + " start the version that wrote it or choose an empty directory");
    }
    try {
      if (format.equals(CURRENT_FORMAT)
          && lines.size() == 3
          && lines.get(1).startsWith("node ")
          && lines.get(2).startsWith("cluster ")) {
        return new NodeIdentity(
            new NodeId(lines.get(1).substring("node ".length())),
            lines.get(2).substring("cluster ".length()));
      }
    } catch (IllegalArgumentException e) {
      throw damaged(file, String.valueOf(e.getMessage()));
    }
    throw damaged(file, "unexpected file contents");
  }

  private static FileSystemException damaged(Path file, String reason) {
    return new FileSystemException(
        file.toString(),
        null,
        "the node's identity cannot be read: "
            + reason
            + "; start with an empty data directory to join as a new node");
  }

  private static String hex(RandomGenerator random, int digits) {
    StringBuilder text = new StringBuilder(digits);
    for (int i = 0; i < digits; i++) {
      text.append(Integer.toHexString(random.nextInt(16)).toLowerCase(Locale.ROOT));
    }
    return text.toString();
  }
}
