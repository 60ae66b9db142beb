package io.fjordmq.inbox;

import io.fjordmq.range.EffectListener;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Passes the effects of commands to the listener. Consecutive entries of one inbox are passed in
 * one call.
 */
final class InboxEffects implements EffectListener {
  private final InboxListener listener;
  private final InboxObserver observer;
  private final Function<RangeId, @Nullable KeyInterval> keys;

  /**
   * Creates the effect listener.
   *
   * @param keys returns the key interval of a range, or null if it is not open
   */
  InboxEffects(
      InboxListener listener,
      InboxObserver observer,
      Function<RangeId, @Nullable KeyInterval> keys) {
    this.listener = listener;
    this.observer = observer;
    this.keys = keys;
  }

  @Override
  public void onLeaderStart(RangeId range) {
    KeyInterval interval = keys.apply(range);
    if (interval != null) {
      listener.onLeaderStart(new InboxSpan(interval));
    }
  }

  @Override
  public void onEffects(RangeId range, List<Object> effects) {
    Map<InboxHandle, Batch> batches = new LinkedHashMap<>();
    for (Object effect : effects) {
      if (effect instanceof InboxEffect.Appended appended) {
        batches
            .computeIfAbsent(appended.handle(), handle -> new Batch(appended.ownerNode()))
            .add(appended);
      } else {
        // Other effects must not overtake the entries before them.
        flush(batches);
        perform((InboxEffect) effect);
      }
    }
    flush(batches);
  }

  private void flush(Map<InboxHandle, Batch> batches) {
    if (batches.isEmpty()) {
      return;
    }
    try {
      batches.forEach(
          (handle, batch) -> listener.onAppended(batch.ownerNode, handle, batch.entries));
    } finally {
      batches.clear();
      listener.onAppendsComplete();
    }
  }

  private void perform(InboxEffect effect) {
    if (effect instanceof InboxEffect.Fenced fenced) {
      listener.onFenced(fenced.ownerNode(), fenced.handle());
    } else if (effect instanceof InboxEffect.WillDue due) {
      PublishId id = PublishId.ofWill(due.id(), due.incarnation(), due.epoch(), due.lowestEpoch());
      listener.onWillDue(
          due.id(), due.incarnation(), due.epoch(), due.will(), due.connectOrder(), id);
    } else if (effect instanceof InboxEffect.SessionEnded ended) {
      if (ended.expired()) {
        observer.onExpired();
        listener.onSessionExpired(ended.id());
      }
      listener.onSessionEnded(ended.id(), ended.incarnation(), ended.subscriptions());
    } else if (effect instanceof InboxEffect.ShareMessagesUndelivered undelivered) {
      listener.onUndeliveredShareMessages(undelivered.id(), undelivered.incarnation());
    } else if (effect instanceof InboxEffect.Dropped dropped) {
      observer.onDropped(dropped.reason(), dropped.count());
      listener.onDropped(dropped.id(), dropped.reason(), dropped.count());
    }
  }

  /** Entries appended to one inbox. */
  private static final class Batch {
    private final String ownerNode;
    private final List<InboxEntry> entries = new ArrayList<>(1);

    Batch(String ownerNode) {
      this.ownerNode = ownerNode;
    }

    void add(InboxEffect.Appended appended) {
      InboxTarget target = appended.target();
      entries.add(
          new InboxEntry(
              appended.sequence(),
              appended.message().get(),
              target.qos(),
              target.retain(),
              target.subscriptionIdentifiers()));
    }
  }
}
