package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A retain store in a map. */
final class FakeRetainStore implements RetainStore {
  final Map<String, Message> kept = new LinkedHashMap<>();
  @Nullable RuntimeException failure;
  boolean full;
  @Nullable RetainVersion lastTurn;

  /** Set: puts complete when it does. */
  @Nullable CompletableFuture<Void> gate;

  @Override
  public CompletableFuture<PutOutcome> put(
      String tenant, Message message, RetainVersion retainVersion) {
    lastTurn = retainVersion;
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    PutOutcome outcome = apply(message);
    return gate == null
        ? CompletableFuture.completedFuture(outcome)
        : gate.thenApply(open -> outcome);
  }

  @Override
  public CompletableFuture<Page> match(
      String tenant, TopicFilter filter, byte @Nullable [] cursor, int maxMessages, int maxBytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long count() {
    return kept.size();
  }

  private PutOutcome apply(Message message) {
    String topic = message.topic().name();
    if (message.payload().length == 0) {
      kept.remove(topic);
      return PutOutcome.CLEARED;
    }
    if (full) {
      return PutOutcome.REFUSED_FULL;
    }
    kept.put(topic, message);
    return PutOutcome.KEPT;
  }
}
