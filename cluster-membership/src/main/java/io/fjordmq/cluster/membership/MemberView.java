package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The members as this node's metadata have them, and who follows them. Thread-safe.
 *
 * <p>A version counts as applied here once every listener has been told of it: what it is counted
 * on for depends on what they do.
 */
final class MemberView implements MetadataListener {
  private final List<MembershipListener> listeners = new CopyOnWriteArrayList<>();
  private volatile Members members = new Members(0, Map.of());
  private volatile long applied;

  /** Who waits for a version. Guarded by this. */
  private final NavigableMap<Long, CompletableFuture<Void>> awaited = new TreeMap<>();

  Members members() {
    return members;
  }

  /** The version everybody here knows. */
  long applied() {
    return applied;
  }

  static Members of(MetadataView view) {
    Map<NodeId, Member> byNode = new HashMap<>();
    Map<NodeId, Long> removed = new HashMap<>();
    for (MetadataRecord written : view.withPrefix(NodeRecord.PREFIX)) {
      NodeRecord record = NodeRecord.decode(written);
      if (record.state() == NodeRecord.State.REMOVED) {
        removed.put(record.node(), written.version());
        continue;
      }
      Member.State state = Member.State.valueOf(record.state().name());
      byNode.put(
          record.node(), new Member(record.node(), record.address(), record.incarnation(), state));
    }
    return new Members(view.version(), byNode, removed);
  }

  // The monitor orders all calls of listeners.

  @Override
  public synchronized void changed(MetadataView view, List<MetadataUpdate> updates) {
    if (updates.stream().anyMatch(update -> update.key().startsWith(NodeRecord.PREFIX))) {
      members = of(view);
      listeners.forEach(listener -> listener.changed(members));
    } else {
      members = new Members(view.version(), members.byNode(), members.removed());
    }
    applied = view.version();
    awaited.headMap(applied, true).values().forEach(waiting -> waiting.complete(null));
    awaited.headMap(applied, true).clear();
  }

  /** Completes once everybody here knows the version. */
  synchronized CompletableFuture<Void> reached(long version) {
    return applied >= version
        ? CompletableFuture.completedFuture(null)
        : awaited.computeIfAbsent(version, later -> new CompletableFuture<>());
  }

  synchronized void watch(MembershipListener listener) {
    listeners.add(listener);
    listener.changed(members);
  }

  synchronized void tell(Consumer<MembershipListener> call) {
    listeners.forEach(call);
  }

  /** Asks all; completes when all have, fails when one does. */
  synchronized CompletableFuture<Void> ask(
      Function<MembershipListener, CompletableFuture<Void>> question) {
    return CompletableFuture.allOf(
        listeners.stream()
            .map(listener -> safely(question, listener))
            .toArray(CompletableFuture<?>[]::new));
  }

  private static CompletableFuture<Void> safely(
      Function<MembershipListener, CompletableFuture<Void>> question, MembershipListener listener) {
    try {
      return question.apply(listener);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
