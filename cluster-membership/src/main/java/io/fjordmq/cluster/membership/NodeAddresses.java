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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the cluster ports of the nodes are: what a node said itself, else what the metadata say,
 * else what was so before the restart. Raft is on the port after. Thread-safe; does not block.
 *
 * <p>The file is a cache: it may be lost or old.
 *
 * <pre>
 * fjordmq address book, form 1
 * NODE PORT HOST                                        one line each
 * </pre>
 */
public final class NodeAddresses {
  private static final Logger LOG = LoggerFactory.getLogger(NodeAddresses.class);
  private static final String FORM = "fjordmq address book, form 1";
  private static final Pattern LITERAL = Pattern.compile("[0-9.]+|.*:.*");

  private final @Nullable Path file;
  private final Executor disk;
  private final Executor names;
  private final Map<NodeId, NodeAddress> kept = new ConcurrentHashMap<>();
  private final Map<NodeId, NodeAddress> inMetadata = new ConcurrentHashMap<>();
  private final Map<NodeId, NodeAddress> ownWords = new ConcurrentHashMap<>();
  private final Map<String, InetAddress> resolved = new ConcurrentHashMap<>();
  private final Set<String> lookedUp = ConcurrentHashMap.newKeySet();
  private volatile Set<NodeId> removed = Set.of();

  private NodeAddresses(@Nullable Path file, Executor disk, Executor names) {
    this.file = file;
    this.disk = disk;
    this.names = names;
  }

  /**
   * Reads what was known before; nothing if the file is missing or cannot be read. Names are looked
   * up by threads of its own, one for each: one that takes long keeps nobody waiting.
   *
   * @param disk writes the file
   */
  public static NodeAddresses open(Path file, Executor disk) {
    return open(file, disk, NodeAddresses::onOwnThread);
  }

  private static void onOwnThread(Runnable lookUp) {
    Thread thread = new Thread(lookUp, "name-lookup");
    thread.setDaemon(true);
    thread.start();
  }

  /** With another way to look names up. */
  static NodeAddresses open(Path file, Executor disk, Executor names) {
    NodeAddresses book = new NodeAddresses(file, disk, names);
    try {
      if (Files.exists(file)) {
        book.kept.putAll(parse(Files.readAllLines(file)));
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("Ignoring the saved node addresses: {} file={}", e.getMessage(), file);
    }
    return book;
  }

  /** Keeps nothing. */
  static NodeAddresses inMemory() {
    return new NodeAddresses(null, Runnable::run, Runnable::run);
  }

  private static Map<NodeId, NodeAddress> parse(List<String> lines) {
    if (lines.isEmpty() || !lines.get(0).equals(FORM)) {
      throw new IllegalArgumentException("it has another form than '" + FORM + "'");
    }
    Map<NodeId, NodeAddress> addresses = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] parts = line.split(" ", 3);
      if (parts.length < 3) {
        throw new IllegalArgumentException("not a line of it: '" + line + "'");
      }
      addresses.put(new NodeId(parts[0]), new NodeAddress(parts[2], Integer.parseInt(parts[1])));
    }
    return addresses;
  }

  /** For calls between nodes. */
  public AddressBook ofPeers() {
    return node -> address(node, 0);
  }

  /** For Raft. */
  public AddressBook ofRaft() {
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
    InetAddress host = known == null ? null : resolve(known.host());
    return known == null || host == null
        ? null
        : new InetSocketAddress(host, known.port() + offset);
  }

  /**
   * A name is looked up each time it is asked for, unless it is being looked up, in the background;
   * what the look-up before this one found is returned, null before the first.
   */
  private @Nullable InetAddress resolve(String host) {
    if (!LITERAL.matcher(host).matches()) {
      lookUpLater(host);
    } else if (!resolved.containsKey(host)) {
      lookUp(host); // takes no time: it is an address already
    }
    return resolved.get(host);
  }

  private void lookUpLater(String host) {
    if (lookedUp.add(host)) {
      names.execute(
          () -> {
            try {
              lookUp(host);
            } finally {
              lookedUp.remove(host);
            }
          });
    }
  }

  private void lookUp(String host) {
    try {
      resolved.put(host, InetAddress.getByName(host));
    } catch (UnknownHostException e) {
      LOG.debug("no address of {} is known: {}", host, e.getMessage());
    }
  }

  /** The best that is known; null if nothing is. */
  @Nullable NodeAddress find(NodeId node) {
    NodeAddress own = ownWords.get(node);
    NodeAddress written = inMetadata.get(node);
    return own != null ? own : written != null ? written : kept.get(node);
  }

  /** What the metadata say, if a node says otherwise or nothing. */
  Map<NodeId, NodeAddress> unconfirmed() {
    Map<NodeId, NodeAddress> differing = new HashMap<>(inMetadata);
    differing.entrySet().removeIf(entry -> entry.getValue().equals(ownWords.get(entry.getKey())));
    return differing;
  }

  /** Of all nodes. */
  Map<NodeId, NodeAddress> all() {
    Map<NodeId, NodeAddress> best = new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
    best.putAll(kept);
    best.putAll(inMetadata);
    best.putAll(ownWords);
    return best;
  }

  /** A node itself says where it is. */
  void onAddress(NodeId node, NodeAddress address) {
    if (removed.contains(node)) {
      return;
    }
    NodeAddress before = find(node);
    ownWords.put(node, address);
    if (!address.equals(before)) {
      LOG.info(
          "Node address known node={} address={}{}",
          node,
          address,
          before == null ? "" : " before=" + before);
      keep();
    }
  }

  /** Another node says where the nodes are; counts if nothing better is known. */
  void suggested(Map<NodeId, NodeAddress> hearsay) {
    hearsay.forEach(kept::putIfAbsent);
    forget(removed);
  }

  private void forget(Set<NodeId> nodes) {
    List.of(kept, inMetadata, ownWords).forEach(source -> source.keySet().removeAll(nodes));
  }

  /** The metadata say where the nodes are, and who has gone for good. */
  void written(Members members) {
    Map<NodeId, NodeAddress> before = all();
    removed = members.removed().keySet();
    forget(removed);
    members.byNode().values().forEach(member -> inMetadata.put(member.node(), member.address()));
    if (!before.equals(all())) {
      keep();
    }
  }

  private void keep() {
    Path target = file;
    if (target != null) {
      disk.execute(() -> write(target));
    }
  }

  private synchronized void write(Path target) {
    StringBuilder text = new StringBuilder(FORM).append('\n');
    all()
        .forEach(
            (node, at) ->
                text.append(node)
                    .append(' ')
                    .append(at.port())
                    .append(' ')
                    .append(at.host())
                    .append('\n'));
    try {
      AtomicFile.replace(target, text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.warn("Cannot save the node addresses: {} file={}", e.getMessage(), target);
    }
  }
}
