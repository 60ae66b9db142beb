package io.fjordmq.broker.recovery;

import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.cluster.AtomicFile;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The file {@code recovering} in a data directory: a recovery has begun and has not ended. It keeps
 * the node from starting with groups of which only some are recovered, and it holds the identity
 * that the node gets, so that a repeated recovery continues with it.
 *
 * <pre>
 * fjordmq recovery, format 1
 * node NODE
 * cluster CLUSTER
 * </pre>
 */
public final class RecoveryFile {
  private static final String NAME = "recovering";
  private static final String FORMAT = "fjordmq recovery, format 1";
  private static final String NODE = "node ";
  private static final String CLUSTER = "cluster ";

  private final Path file;

  RecoveryFile(DataDirectory directory) {
    this.file = directory.resolve(NAME);
  }

  /**
   * Requires that no recovery of this directory was interrupted.
   *
   * @throws StartException if one was; the message tells the operator what to do
   */
  public static void requireNone(DataDirectory directory) throws StartException {
    Path file = new RecoveryFile(directory).file;
    if (Files.exists(file)) {
      throw new StartException(
          "a recovery of the data directory %s was interrupted; run 'fjordmq recover --confirm' again"
              .formatted(directory.path()));
    }
  }

  /**
   * Returns the identity that the node gets; empty if no recovery has begun.
   *
   * @throws FileSystemException if the file cannot be read
   */
  Optional<NodeIdentity> load() throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines = Files.readAllLines(file);
    if (lines.size() == 3
        && lines.get(0).equals(FORMAT)
        && lines.get(1).startsWith(NODE)
        && lines.get(2).startsWith(CLUSTER)) {
      try {
        return Optional.of(
            new NodeIdentity(
                new NodeId(lines.get(1).substring(NODE.length())),
                lines.get(2).substring(CLUSTER.length())));
      } catch (IllegalArgumentException e) {
        throw unreadable(String.valueOf(e.getMessage()));
      }
    }
    throw unreadable("expected '" + FORMAT + "', a node and a cluster");
  }

  private FileSystemException unreadable(String reason) {
    return new FileSystemException(
        file.toString(),
        null,
        "cannot read the state of an interrupted recovery: "
            + reason
            + "; use the version of FjordMQ that began it");
  }

  /** Records durably that a recovery has begun. */
  void store(NodeIdentity next) throws IOException {
    String text = FORMAT + "\n" + NODE + next.node() + "\n" + CLUSTER + next.clusterId() + "\n";
    AtomicFile.replace(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Records that the recovery has ended. */
  void delete() throws IOException {
    Files.deleteIfExists(file);
  }
}
