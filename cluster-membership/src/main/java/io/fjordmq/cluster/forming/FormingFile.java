package io.fjordmq.cluster.forming;

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
import java.util.random.RandomGenerator;

/**
 * The file {@code forming} in the data directory of a node that waits for a cluster. The founder
 * keeps it until its cluster exists. Used by one thread at a time; blocks.
 *
 * <pre>
 * fjordmq forming, form 1
 * node 3f9c0a7be21d
 * number 4
 * promise 1b7e4c9a0d22 7        only with a promise: to this node, for its proposal 7
 * cluster 51c7d2e9a0b4f836      only if this node has founded this cluster
 * </pre>
 */
public final class FormingFile implements FormingStore {
  private static final String FORMAT_PREFIX = "fjordmq forming, form ";
  private static final String CURRENT_FORMAT = FORMAT_PREFIX + "1";

  private final Path file;

  public FormingFile(DataDirectory directory) {
    this.file = directory.resolve(NodeIdentity.FORMING_FILE);
  }

  /**
   * Returns whether the node with this identity has founded its cluster and may have to create it.
   */
  public boolean isFounder(NodeIdentity identity) throws IOException {
    Optional<FormingState> stored = load();
    return stored.isPresent()
        && stored.get().node().equals(identity.node())
        && identity.clusterId().equals(stored.get().clusterId());
  }

  /**
   * Returns the node that this node has promised to let found the cluster; empty if there is none.
   * A cluster may exist in which this node does not take part.
   */
  public Optional<NodeId> promisedTo() throws IOException {
    return load().map(FormingState::promise).map(Promise::proposer);
  }

  /**
   * Makes this node the founder of a cluster without asking other nodes. The decision is durable
   * when this method returns.
   *
   * @throws FileSystemException if this node has promised another one to wait for its cluster
   */
  public FormationOutcome.Founded foundAlone(RandomGenerator random) throws IOException {
    NodeIdentity fresh = NodeIdentity.random(random);
    FormingState state = load().orElseGet(() -> FormingState.of(fresh.node()));
    Promise promise = state.promise();
    if (promise != null) {
      throw new FileSystemException(
          file.toString(),
          null,
          "this node waits for the cluster of node %s, so it cannot create one; set expectNodes and clusterConfig.seedEndpoints again, or empty the data directory"
              .formatted(promise.proposer()));
    }
    String cluster = state.clusterId();
    if (cluster == null) {
      cluster = fresh.clusterId();
      save(state.withCluster(cluster));
    }
    return new FormationOutcome.Founded(new NodeIdentity(state.node(), cluster));
  }

  /** Deletes the file if it exists. */
  public void delete() throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public Optional<FormingState> load() throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines = Files.readAllLines(file);
    String format = lines.isEmpty() ? "" : lines.get(0);
    if (format.startsWith(FORMAT_PREFIX) && !format.equals(CURRENT_FORMAT)) {
      throw unreadable("begins with '" + format + "', a newer format; upgrade this node");
    }
    try {
      if (!format.equals(CURRENT_FORMAT)) {
        throw new IllegalArgumentException("the first line is not '" + CURRENT_FORMAT + "'");
      }
      return Optional.of(parse(lines.subList(1, lines.size())));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw unreadable(
          "is invalid: "
              + e.getMessage()
              + "; start with an empty data directory, which makes this a new node");
    }
  }

  private static FormingState parse(List<String> lines) {
    FormingState state =
        new FormingState(
            new NodeId(value(lines.get(0), "node")),
            Long.parseLong(value(lines.get(1), "number")),
            null,
            null);
    for (String line : lines.subList(2, lines.size())) {
      if (line.startsWith("promise ")) {
        String[] parts = value(line, "promise").split(" ", 2);
        Promise promise = new Promise(new NodeId(parts[0]), Long.parseLong(parts[1]));
        state = new FormingState(state.node(), state.number(), promise, state.clusterId());
      } else {
        state = state.withCluster(value(line, "cluster"));
      }
    }
    return state;
  }

  private static String value(String line, String name) {
    if (!line.startsWith(name + " ")) {
      throw new IllegalArgumentException("expected a line '" + name + " …', not '" + line + "'");
    }
    return line.substring(name.length() + 1);
  }

  private FileSystemException unreadable(String reason) {
    return new FileSystemException(file.toString(), null, "the file " + reason);
  }

  @Override
  public void save(FormingState state) throws IOException {
    StringBuilder text =
        new StringBuilder(CURRENT_FORMAT)
            .append("\nnode ")
            .append(state.node())
            .append("\nnumber ")
            .append(state.number())
            .append('\n');
    Promise promise = state.promise();
    if (promise != null) {
      text.append("promise ")
          .append(promise.proposer())
          .append(' ')
          .append(promise.number())
          .append('\n');
    }
    if (state.clusterId() != null) {
      text.append("cluster ").append(state.clusterId()).append('\n');
    }
    AtomicFile.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
