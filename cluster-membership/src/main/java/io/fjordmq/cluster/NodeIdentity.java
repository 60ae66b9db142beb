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
 * Which node this is, and of which cluster. Written once, at the first start, into the data
 * directory; the file also says which form the directory has.
 *
 * @param node the node for ever, whatever its address
 * @param clusterId the cluster for ever; nodes of two clusters never talk to each other
 */
public record NodeIdentity(NodeId node, String clusterId) {
  /*
   * node.id, text for people to read, every line ends with \n:
   *
   *   fjordmq data directory, form 1
   *   node 3f9c0a7be21d
   *   cluster 51c7d2e9a0b4f836
   */
  static final String FILE = "node.id";
  private static final String FORM = "fjordmq data directory, form ";
  private static final String THIS_FORM = FORM + "1";
  private static final String CLUSTER_ID = "[a-zA-Z0-9_-]{1,64}";

  /** What a directory may hold before the identity is in it. */
  private static final List<String> BEFORE_IDENTITY =
      List.of(DataDirectory.LOCK_FILE, FILE + AtomicFile.TEMPORARY_SUFFIX, "lost+found");

  /**
   * @throws IllegalArgumentException if the cluster id is not 1 to 64 letters, digits, '-' or '_'
   */
  public NodeIdentity {
    if (!clusterId.matches(CLUSTER_ID)) {
      throw new IllegalArgumentException(
          "cluster id must be 1 to 64 letters, digits, '-' or '_', not '" + clusterId + "'");
    }
  }

  /** A new node of a new cluster. */
  public static NodeIdentity random(RandomGenerator random) {
    return new NodeIdentity(new NodeId(hex(random, 12)), hex(random, 16));
  }

  /**
   * The identity kept in the directory; empty if the directory is new.
   *
   * @throws FileSystemException if the directory is of another form or is not ours; says what to do
   */
  public static Optional<NodeIdentity> load(DataDirectory directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (Files.exists(file)) {
      return Optional.of(parse(file, Files.readString(file)));
    }
    try (Stream<Path> files = Files.list(directory.path())) {
      Optional<String> strange =
          files
              .map(path -> path.getFileName().toString())
              .filter(name -> !BEFORE_IDENTITY.contains(name))
              .findFirst();
      if (strange.isPresent()) {
        throw new FileSystemException(
            directory.path().toString(),
            null,
            "the directory holds '%s' but no '%s', so it is not the data directory of a node;"
                    .formatted(strange.get(), FILE)
                + " choose an empty directory");
      }
    }
    return Optional.empty();
  }

  /**
   * Keeps this identity in a new directory; durable when it returns.
   *
   * @throws FileSystemException if the directory has an identity already or is not empty
   */
  public void store(DataDirectory directory) throws IOException {
    if (load(directory).isPresent()) {
      throw new FileSystemException(
          directory.path().toString(), null, "the data directory belongs to a node already");
    }
    String text = THIS_FORM + "\nnode " + node + "\ncluster " + clusterId + "\n";
    AtomicFile.replace(directory.resolve(FILE), text.getBytes(StandardCharsets.UTF_8));
  }

  private static NodeIdentity parse(Path file, String text) throws FileSystemException {
    List<String> lines = text.lines().toList();
    String form = lines.isEmpty() ? "" : lines.get(0);
    if (form.startsWith(FORM) && !form.equals(THIS_FORM)) {
      throw new FileSystemException(
          file.toString(),
          null,
          "the data directory has form %s, this version of FjordMQ reads form %s;"
                  .formatted(form.substring(FORM.length()), THIS_FORM.substring(FORM.length()))
              + " start the version that wrote it, or choose an empty directory");
    }
    try {
      if (form.equals(THIS_FORM)
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
    throw damaged(file, "it has another form than this program writes");
  }

  private static FileSystemException damaged(Path file, String why) {
    return new FileSystemException(
        file.toString(),
        null,
        "the node's identity cannot be read: "
            + why
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
