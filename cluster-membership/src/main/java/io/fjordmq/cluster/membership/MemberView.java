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
 * The members according to this node's metadata, and their listeners. Thread-safe.
 *
 * <p>A version counts as applied once every listener has been called with it, because other nodes
 * rely on what the listeners do.
 */
final class MemberView implements MetadataListener {
  private final List<MembershipListener> listeners = new CopyOnWriteArrayList<>();
  private volatile Members members = new Members(0, Map.of());
  private volatile long appliedVersion;

  /** Futures of {@link #whenApplied}. Guarded by this. */
  private final NavigableMap<Long, CompletableFuture<Void>> awaited = new TreeMap<>();

  Members members() {
    return members;
  }

  /** Returns the version that all listeners of this node have seen. */
  long appliedVersion() {
    return appliedVersion;
  }

  static Members of(MetadataView view) {
    Map<NodeId, Member> byNode = new HashMap<>();
    Map<NodeId, Long> removed = new HashMap<>();
    for (MetadataRecord metadataRecord : view.withPrefix(NodeRecord.PREFIX)) {
      NodeRecord record = NodeRecord.decode(metadataRecord);
      if (record.state() == NodeRecord.State.REMOVED) {
        removed.put(record.node(), metadataRecord.version());
        continue;
      }
      Member.State state = Member.State.valueOf(record.state().name());
      byNode.put(
          record.node(), new Member(record.node(), record.address(), record.incarnation(), state));
    }
    return new Members(view.version(), byNode, removed);
  }

  // The monitor orders all calls to listeners.

  @Override
  public synchronized void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    if (updates.stream().anyMatch(update -> update.key().startsWith(NodeRecord.PREFIX))) {
      members = of(view);
      listeners.forEach(listener -> listener.onMembersChanged(members));
    } else {
      members = new Members(view.version(), members.byNode(), members.removed());
    }
    appliedVersion = view.version();
    awaited.headMap(appliedVersion, true).values().forEach(waiting -> waiting.complete(null));
    awaited.headMap(appliedVersion, true).clear();
  }

  /** Completes once all listeners of this node have seen the version. */
  synchronized CompletableFuture<Void> whenApplied(long version) {
    return appliedVersion >= version
        ? CompletableFuture.completedFuture(null)
        : awaited.computeIfAbsent(version, later -> new CompletableFuture<>());
  }

  synchronized void watch(MembershipListener listener) {
    listeners.add(listener);
    listener.onMembersChanged(members);
  }

  synchronized void notifyListeners(Consumer<MembershipListener> call) {
    listeners.forEach(call);
  }

  /** Calls all listeners; completes when all futures have, and fails if one fails. */
  synchronized CompletableFuture<Void> callListeners(
      Function<MembershipListener, CompletableFuture<Void>> call) {
    return CompletableFuture.allOf(
        listeners.stream()
            .map(listener -> callSafely(call, listener))
            .toArray(CompletableFuture<?>[]::new));
  }

  private static CompletableFuture<Void> callSafely(
      Function<MembershipListener, CompletableFuture<Void>> call, MembershipListener listener) {
    try {
      return call.apply(listener);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
