package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.AtomicFile;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.AddressBook;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster port addresses of all nodes. For each node, it prefers the address that the node
 * itself reported, then the one in the metadata, then the one known before the restart. Raft uses
 * the next port. Thread-safe; does not block.
 *
 * <p>The file is a cache and may be missing or old.
 *
 * <pre>
 * fjordmq address book, form 1
 * NODE PORT HOST                                        one line each
 * </pre>
 */
public final class NodeAddresses {
  private static final Logger LOG = LoggerFactory.getLogger(NodeAddresses.class);
  private static final String FORMAT = "fjordmq address book, form 1";

  private final @Nullable Path file;
  private final Executor disk;
  private final Executor resolver;
  private final Map<NodeId, NodeAddress> saved = new ConcurrentHashMap<>();
  private final Map<NodeId, NodeAddress> inMetadata = new ConcurrentHashMap<>();
  private final Map<NodeId, NodeAddress> reportedByNode = new ConcurrentHashMap<>();
  private final Map<String, InetAddress> resolved = new ConcurrentHashMap<>();
  private final Set<String> lookUpsInProgress = ConcurrentHashMap.newKeySet();
  private volatile Set<NodeId> removed = Set.of();

  private NodeAddresses(@Nullable Path file, Executor disk, Executor resolver) {
    this.file = file;
    this.disk = disk;
    this.resolver = resolver;
  }

  /**
   * Reads the saved addresses; starts empty if the file is missing or cannot be read. Every name is
   * resolved on its own thread, so that a slow lookup does not delay others.
   *
   * @param disk writes the file
   */
  public static NodeAddresses open(Path file, Executor disk) {
    return open(file, disk, NodeAddresses::runOnNewThread);
  }

  private static void runOnNewThread(Runnable lookUp) {
    Thread thread = new Thread(lookUp, "name-lookup");
    thread.setDaemon(true);
    thread.start();
  }

  /** Like {@link #open(Path, Executor)}, but with a different executor for lookups. */
  static NodeAddresses open(Path file, Executor disk, Executor resolver) {
    NodeAddresses addresses = new NodeAddresses(file, disk, resolver);
    try {
      if (Files.exists(file)) {
        addresses.saved.putAll(parse(Files.readAllLines(file)));
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("Ignoring the saved node addresses: {} path={}", e.getMessage(), file);
    }
    return addresses;
  }

  /** Creates an address book that is not saved to a file. */
  static NodeAddresses inMemory() {
    return new NodeAddresses(null, Runnable::run, Runnable::run);
  }

  private static Map<NodeId, NodeAddress> parse(List<String> lines) {
    if (lines.isEmpty() || !lines.get(0).equals(FORMAT)) {
      throw new IllegalArgumentException("the file does not start with '" + FORMAT + "'");
    }
    Map<NodeId, NodeAddress> addresses = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] parts = line.split(" ", 3);
      if (parts.length < 3) {
        throw new IllegalArgumentException("invalid line: '" + line + "'");
      }
      addresses.put(new NodeId(parts[0]), new NodeAddress(parts[2], Integer.parseInt(parts[1])));
    }
    return addresses;
  }

  /** Returns the addresses for calls between nodes. */
  public AddressBook peerAddressBook() {
    return node -> address(node, 0);
  }

  /** Returns the addresses for Raft. */
  public AddressBook raftAddressBook() {
    return new AddressBook() {
      @Override
      public @Nullable InetSocketAddress addressOf(NodeId node) {
        return address(node, 1);
      }

      @Override
      public boolean isRemoved(NodeId node) {
        return removed.contains(node);
      }
    };
  }

  private @Nullable InetSocketAddress address(NodeId node, int offset) {
    NodeAddress known = find(node);
    InetAddress host = known == null ? null : resolve(known);
    return known == null || host == null
        ? null
        : new InetSocketAddress(host, known.port() + offset);
  }

  /**
   * Starts a lookup of the name in the background, unless one is in progress, and returns the
   * result of the previous lookup; null before the first has completed.
   */
  private @Nullable InetAddress resolve(NodeAddress known) {
    String host = known.host();
    if (!known.isLiteral()) {
      lookUpInBackground(host);
    } else if (!resolved.containsKey(host)) {
      lookUp(host); // a literal IP address does not block
    }
    return resolved.get(host);
  }

  private void lookUpInBackground(String host) {
    if (lookUpsInProgress.add(host)) {
      resolver.execute(
          () -> {
            try {
              lookUp(host);
            } finally {
              lookUpsInProgress.remove(host);
            }
          });
    }
  }

  private void lookUp(String host) {
    try {
      resolved.put(host, InetAddress.getByName(host));
    } catch (UnknownHostException e) {
      LOG.debug("Cannot resolve a host name: {} host={}", e.getMessage(), host);
    }
  }

  /** Returns the best known address; null if there is none. */
  @Nullable NodeAddress find(NodeId node) {
    NodeAddress own = reportedByNode.get(node);
    NodeAddress written = inMetadata.get(node);
    return own != null ? own : written != null ? written : saved.get(node);
  }

  /** Returns the addresses in the metadata that the nodes themselves have not confirmed. */
  Map<NodeId, NodeAddress> unconfirmed() {
    Map<NodeId, NodeAddress> differing = new HashMap<>(inMetadata);
    differing
        .entrySet()
        .removeIf(entry -> entry.getValue().equals(reportedByNode.get(entry.getKey())));
    return differing;
  }

  /** Returns the best known addresses of all nodes. */
  Map<NodeId, NodeAddress> all() {
    Map<NodeId, NodeAddress> best = new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
    best.putAll(saved);
    best.putAll(inMetadata);
    best.putAll(reportedByNode);
    return best;
  }

  /** Must be called when a node has reported its own address. */
  void onAddress(NodeId node, NodeAddress address) {
    if (removed.contains(node)) {
      return;
    }
    NodeAddress before = find(node);
    reportedByNode.put(node, address);
    if (!address.equals(before)) {
      LOG.info(
          "Learned a node address node={} address={}{}",
          node,
          address,
          before == null ? "" : " previous=" + before);
      save();
    }
  }

  /** Adds addresses reported by another node, for nodes without a saved address. */
  void addHints(Map<NodeId, NodeAddress> reportedAddresses) {
    reportedAddresses.forEach(saved::putIfAbsent);
    remove(removed);
  }

  private void remove(Set<NodeId> nodes) {
    List.of(saved, inMetadata, reportedByNode).forEach(source -> source.keySet().removeAll(nodes));
  }

  /**
   * Must be called when the members have changed: adopts their addresses, and forgets removed
   * nodes.
   */
  void onMembersChanged(Members members) {
    Map<NodeId, NodeAddress> before = all();
    removed = members.removed().keySet();
    remove(removed);
    members.byNode().values().forEach(member -> inMetadata.put(member.node(), member.address()));
    if (!before.equals(all())) {
      save();
    }
  }

  private void save() {
    Path target = file;
    if (target != null) {
      disk.execute(() -> write(target));
    }
  }

  private synchronized void write(Path target) {
    StringBuilder text = new StringBuilder(FORMAT).append('\n');
    all()
        .forEach(
            (node, nodeAddress) ->
                text.append(node)
                    .append(' ')
                    .append(nodeAddress.port())
                    .append(' ')
                    .append(nodeAddress.host())
                    .append('\n'));
    try {
      AtomicFile.replace(target, text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.warn("Cannot save the node addresses: {} path={}", e.getMessage(), target);
    }
  }
}
