package io.fjordmq.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fences stale copies of data directories. Every start increments a counter in the directory. Nodes
 * exchange their counters whenever they connect, and each stores the latest counter of every other
 * node. A start with a lower counter than the latest one comes from a restored copy; a start with
 * the same counter but another token comes from a second copy. Both are refused permanently. While
 * the latest known start of a node is connected, a later start is refused as well: a copy must not
 * replace the running process, which may be the only one to hold some log entries.
 *
 * <p>Thread-safe. Only {@link #open} and {@link #incrementCounter} block.
 */
public final class StartFence {
  /** The name of the file in the data directory. */
  public static final String FILE = StartFile.NAME;

  private static final Logger LOG = LoggerFactory.getLogger(StartFence.class);

  /** A connected process that has sent nothing for this long is no longer considered alive. */
  private static final long ALIVE_NANOS = Duration.ofSeconds(5).toNanos();

  private final NodeId self;
  private final @Nullable StartFile file;
  private final Executor disk;
  private final Map<NodeId, KnownStart> knownStarts = new ConcurrentHashMap<>();
  private final CompletableFuture<String> fenced = new CompletableFuture<>();
  private volatile StartStamp ownStart;

  /** The latest known start of another node and the number of its connections; guards itself. */
  private static final class KnownStart {
    volatile StartStamp latest;
    int connections;
    volatile long lastReceivedNanos;

    KnownStart(StartStamp latest) {
      this.latest = latest;
    }
  }

  /**
   * The reason why a node is refused.
   *
   * @param permanent whether the data directory of the node can never be used again
   */
  public record Refusal(String reason, boolean permanent) {}

  private StartFence(NodeId self, StartStamp own, @Nullable StartFile file, Executor disk) {
    this.self = self;
    this.ownStart = own;
    this.file = file;
    this.disk = disk;
  }

  /**
   * Increments the start counter of the directory. The counter is durable when this method returns.
   * Must be called before using anything else in the directory.
   *
   * @param disk writes the starts of other nodes to the file
   * @throws IOException if the file cannot be read or written; the message tells the operator what
   *     to do
   */
  public static StartFence open(
      DataDirectory directory, NodeId self, RandomGenerator random, Executor disk)
      throws IOException {
    StartFile file = new StartFile(directory.resolve(StartFile.NAME));
    Map<NodeId, StartStamp> known = file.read();
    StartStamp last = known.getOrDefault(self, StartStamp.NONE);
    StartStamp own = new StartStamp(last.count() + 1, random.nextLong());
    StartFence fence = new StartFence(self, own, file, disk);
    known.forEach((node, stamp) -> fence.knownStarts.put(node, new KnownStart(stamp)));
    fence.knownStarts.remove(self);
    fence.write(own);
    return fence;
  }

  /**
   * Returns a fence for a node without a data directory. The fence presents the stamp to other
   * nodes but stores nothing.
   */
  public static StartFence inMemory(NodeId self, StartStamp own) {
    return new StartFence(self, own, null, Runnable::run);
  }

  /** Returns the stamp that this node presents to other nodes. */
  public StartStamp ownStart() {
    return ownStart;
  }

  /** Returns the latest known start of the node; null if none is known. */
  public @Nullable StartStamp latestStart(NodeId node) {
    KnownStart entry = knownStarts.get(node);
    return node.equals(self) ? ownStart : entry == null ? null : entry.latest;
  }

  /**
   * Increments this node's counter, so that a copy of the directory made while the node runs is
   * recognized as stale. Blocks until the counter is durable.
   */
  public synchronized void incrementCounter() throws IOException {
    StartStamp next = new StartStamp(ownStart.count() + 1, ownStart.token());
    // Write the file first: after a crash, the next start must not reuse a count that others have
    // seen.
    write(next);
    ownStart = next;
  }

  /** Returns why the node would be refused, or null if it would be admitted. Records nothing. */
  public @Nullable Refusal refusal(NodeId node, StartStamp presented) {
    if (node.equals(self)) {
      return presented.token() == ownStart.token()
          ? null
          : new Refusal(duplicateReason(node, presented, ownStart), true);
    }
    KnownStart entry = knownStarts.get(node);
    if (entry == null) {
      return null;
    }
    synchronized (entry) {
      return refusal(node, presented, entry);
    }
  }

  private static @Nullable Refusal refusal(NodeId node, StartStamp presented, KnownStart entry) {
    StartStamp known = entry.latest;
    if (presented.count() < known.count()) {
      return new Refusal(rolledBackReason(node, presented, known), true);
    } else if (!presented.mayFollow(known)) {
      return new Refusal(duplicateReason(node, presented, known), true);
    }
    boolean other = presented.token() != known.token();
    boolean alive =
        entry.connections > 0 && System.nanoTime() - entry.lastReceivedNanos < ALIVE_NANOS;
    return other && alive
        ? new Refusal(
            ("another process with the identity of node %s is connected (start counter %s; refused "
                    + "process: %s); stop one of them")
                .formatted(node, known, presented),
            false)
        : null;
  }

  private static String rolledBackReason(NodeId node, StartStamp presented, StartStamp known) {
    return ("the data directory of node %s is an outdated copy (start counter %s, latest known "
            + "%s); it may lack log entries and votes that the node acknowledged after the copy was "
            + "made. %s")
        .formatted(node, presented, known, remedy(node));
  }

  private static String duplicateReason(NodeId node, StartStamp presented, StartStamp known) {
    return "the data directory of node %s is a copy (start counter %s, but another copy was started as %s); it may lack log entries and votes that the node has acknowledged. %s"
        .formatted(node, presented, known, remedy(node));
  }

  private static String remedy(NodeId node) {
    return "Start with an empty data directory to join as a new node; remove node %s from the cluster unless its latest directory is still in use"
        .formatted(node);
  }

  /**
   * Admits a connection from the node, unless the start is refused. Each admitted connection must
   * be {@linkplain #release released}.
   *
   * @return why the start is refused; null if the connection is admitted
   */
  public @Nullable Refusal admit(NodeId node, StartStamp presented) {
    KnownStart entry =
        knownStarts.computeIfAbsent(node, unknown -> new KnownStart(StartStamp.NONE));
    boolean changed;
    synchronized (entry) {
      Refusal refusal =
          node.equals(self) ? refusal(node, presented) : refusal(node, presented, entry);
      if (refusal != null) {
        return refusal;
      }
      changed = !presented.equals(entry.latest);
      if (presented.token() != entry.latest.token()) {
        entry.connections = 0; // connections of the previous start no longer count
      }
      entry.latest = presented;
      entry.connections++;
      entry.lastReceivedNanos = System.nanoTime();
    }
    if (changed) {
      store();
    }
    return null;
  }

  /** Records the end of an admitted connection. */
  public void release(NodeId node, StartStamp presented) {
    KnownStart entry = knownStarts.get(node);
    if (entry != null) {
      synchronized (entry) {
        if (entry.latest.token() == presented.token() && entry.connections > 0) {
          entry.connections--;
        }
      }
    }
  }

  /**
   * Returns whether messages from this start of the node are still accepted. Must be called for
   * every message, because it also records that the node is alive.
   */
  public boolean accepts(NodeId node, StartStamp presented) {
    KnownStart entry = knownStarts.get(node);
    if (fenced.isDone() || entry == null || entry.latest.token() != presented.token()) {
      return false;
    }
    entry.lastReceivedNanos = System.nanoTime();
    return true;
  }

  /**
   * Records a start that the cluster metadata lists. Of two starts with the same count, the
   * registered one is valid.
   */
  public void onRegistered(NodeId node, StartStamp stamp) {
    if (node.equals(self)) {
      StartStamp ownStamp = ownStart;
      if (stamp.count() > ownStamp.count()) {
        fence(rolledBackReason(node, ownStamp, stamp));
      } else if (stamp.count() == ownStamp.count() && stamp.token() != ownStamp.token()) {
        fence(duplicateReason(node, ownStamp, stamp));
      }
      return;
    }
    KnownStart entry =
        knownStarts.computeIfAbsent(node, unknown -> new KnownStart(StartStamp.NONE));
    synchronized (entry) {
      if (stamp.count() < entry.latest.count() || stamp.equals(entry.latest)) {
        return;
      }
      if (stamp.token() != entry.latest.token()) {
        entry.connections = 0;
      }
      entry.latest = stamp;
    }
    store();
  }

  /**
   * Called when another node has permanently refused this one. Fences this node, unless the refused
   * handshake carried an older stamp than the current one because {@link #incrementCounter} ran in
   * the meantime; the next connection sends the current stamp.
   *
   * @param presented the stamp in the handshake that was refused
   */
  public void onRefused(StartStamp presented, String reason) {
    if (presented.equals(ownStart)) {
      fence(reason);
    } else {
      LOG.info(
          "Ignoring the refusal of a handshake that predates this node's current start counter; "
              + "reconnecting");
    }
  }

  /** Fences this node, which permanently stops taking part in the cluster. */
  public void fence(String reason) {
    if (fenced.complete(reason)) {
      LOG.error("This node is fenced and serves no clients: {} node={}", reason, self);
    }
  }

  /** Returns why this node is fenced, or null if it is not. */
  public @Nullable String fenceReason() {
    return fenced.getNow(null);
  }

  /** Completes with the reason when this node is fenced, on any thread. */
  public CompletableFuture<String> fencedFuture() {
    return fenced.copy();
  }

  private void store() {
    if (file != null) {
      disk.execute(
          () -> {
            try {
              write(null);
            } catch (IOException e) {
              LOG.warn("Cannot save the start counters of other nodes: {}", e.toString());
            }
          });
    }
  }

  private synchronized void write(@Nullable StartStamp next) throws IOException {
    StartFile target = file;
    if (target != null) {
      Map<NodeId, StartStamp> stamps = new HashMap<>();
      knownStarts.forEach((node, entry) -> stamps.put(node, entry.latest));
      stamps.put(self, next == null ? ownStart : next);
      target.write(stamps);
    }
  }
}
