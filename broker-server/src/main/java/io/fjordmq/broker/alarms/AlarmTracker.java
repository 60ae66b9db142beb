package io.fjordmq.broker.alarms;

import io.fjordmq.broker.alarms.AlarmCondition.Key;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alarms of this node: activates them when conditions begin, and deactivates them once
 * conditions have been absent for some time, so that alarms do not flap. Thread-safe.
 */
final class AlarmTracker {
  private static final Logger LOG = LoggerFactory.getLogger(AlarmTracker.class);

  /** The maximum number of active alarms; further conditions are ignored. */
  static final int MAX_ACTIVE = 1_000;

  private final AlarmSettings settings;
  private final AlarmObserver observer;

  /** The start of each condition that has not activated an alarm yet. */
  private final Map<Key, Instant> pending = new HashMap<>();

  private final Map<Key, Active> active = new LinkedHashMap<>();

  /** Deactivated alarms, latest first. */
  private final Deque<Alarm> history = new ArrayDeque<>();

  private final Map<AlarmKind, Integer> reportedCounts = new EnumMap<>(AlarmKind.class);

  /** An active alarm, and when its condition was last seen. */
  private record Active(Alarm alarm, Instant seen) {}

  AlarmTracker(AlarmSettings settings, AlarmObserver observer) {
    this.settings = settings;
    this.observer = observer;
  }

  /**
   * Updates the alarms.
   *
   * @param now a time that does not jump
   * @param conditions all conditions that hold now
   */
  synchronized void update(Instant now, List<AlarmCondition> conditions) {
    Set<Key> current = new HashSet<>();
    for (AlarmCondition condition : conditions) {
      if (current.add(condition.key())) {
        see(condition, now);
      }
    }
    pending.keySet().retainAll(current);
    deactivateOthers(current, now);
    reportCounts();
  }

  private void see(AlarmCondition condition, Instant now) {
    Key key = condition.key();
    Active known = active.get(key);
    if (known != null) {
      active.put(key, new Active(known.alarm.updated(condition), now));
      return;
    }
    if (active.size() >= MAX_ACTIVE) {
      return;
    }
    if (condition.kind().isDelayed() && !hasLasted(key, now)) {
      return;
    }
    pending.remove(key);
    active.put(key, new Active(Alarm.activated(condition, now), now));
    LOG.warn("Alarm activated: {} alarm={}", condition.message(), condition.kind().label());
  }

  private boolean hasLasted(Key key, Instant now) {
    Instant began = pending.computeIfAbsent(key, first -> now);
    return Duration.between(began, now).compareTo(settings.activateAfter()) >= 0;
  }

  private void deactivateOthers(Set<Key> current, Instant now) {
    Iterator<Map.Entry<Key, Active>> all = active.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Key, Active> entry = all.next();
      Active known = entry.getValue();
      boolean isGone =
          !current.contains(entry.getKey())
              && Duration.between(known.seen, now).compareTo(settings.deactivateAfter()) >= 0;
      if (isGone) {
        all.remove();
        Alarm ended = known.alarm.deactivated(now);
        history.addFirst(ended);
        LOG.info( // without the message, which says what to do
            "Alarm deactivated alarm={}{} durationMs={}",
            ended.name(),
            ended.subject().isEmpty() ? "" : " subject=" + ended.subject(),
            ended.duration(now).toMillis());
      }
    }
    while (history.size() > settings.maxHistory()) {
      history.removeLast();
    }
  }

  private void reportCounts() {
    Map<AlarmKind, Integer> counts = new EnumMap<>(AlarmKind.class);
    active.keySet().forEach(key -> counts.merge(key.kind(), 1, Integer::sum));
    for (AlarmKind kind : AlarmKind.values()) {
      int count = counts.getOrDefault(kind, 0);
      Integer reported = reportedCounts.put(kind, count);
      if (count != (reported == null ? 0 : reported)) {
        observer.onActive(kind, count);
      }
    }
  }

  /** Returns the active alarms, followed by the deactivated ones, latest first. */
  synchronized List<Alarm> list() {
    List<Alarm> all = new ArrayList<>(active.size() + history.size());
    active.values().forEach(known -> all.add(known.alarm));
    all.addAll(history);
    return all;
  }

  /** Forgets the deactivated alarms. */
  synchronized void clearHistory() {
    history.clear();
  }
}
