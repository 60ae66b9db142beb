package io.fjordmq.broker.simulation;

import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.ShareStrategy;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.sim.RangeSimSettings;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.router.RouteSettings;
import io.fjordmq.testing.RecordBuilder;
import io.fjordmq.testing.Simulation;
import io.netty.channel.WriteBufferWaterMark;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A broker's settings for one run: small limits, so that each is reached, and timeouts that are
 * long or short as determined by the seed.
 */
record SimSettings(
    int eventLoops,
    SessionSettings sessions,
    DeliverySettings delivery,
    RouteSettings router,
    InboxSettings inboxes,
    RetainSettings retained,
    RangeStoreSettings ranges,
    RangeClientSettings client,
    WriteBufferWaterMark marks) {

  /** Publishes a client may have unacknowledged; model clients know it. */
  static final int RECEIVE_MAXIMUM = 12;

  /** With this deadline no call to the stores times out while leaders change. */
  static final long NO_TIMEOUT_DEADLINE_MILLIS = 3_000;

  /** With this deadline no call times out while replicas are slow and leaders stay. */
  static final long SLOW_REPLICA_DEADLINE_MILLIS = 1_000;

  /** The receive maximum of a client that does not specify one. */
  static final int MAX_INFLIGHT = 8;

  static SimSettings draw(Simulation simulation) {
    int buffered = (int) simulation.between(1, 16);
    return new SimSettings(
        (int) simulation.between(1, 3),
        sessions(simulation, buffered),
        delivery((int) simulation.between(1, 16)),
        new RouteSettings(1, (int) simulation.between(1, 100), RouteSettings.Barrier.DEFAULTS),
        inboxes(simulation),
        new RetainSettings(1, 1_000),
        RangeSimSettings.STORE,
        client(
            Duration.ofMillis(
                simulation.chance(30)
                    ? 250
                    : simulation.between(SLOW_REPLICA_DEADLINE_MILLIS, 10_000))),
        new WriteBufferWaterMark(64, (int) simulation.between(128, 4_096)));
  }

  /** For a node among others: how it waits for their routes, and wills for their clients. */
  SimSettings with(RouteSettings.Barrier barrier, Duration willGrace) {
    RouteSettings among = new RouteSettings(1, router.maxCachedTopics(), barrier);
    InboxSettings excusing = with(inboxes, willGrace);
    return new SimSettings(
        eventLoops, sessions, delivery, among, excusing, retained, ranges, client, marks);
  }

  private static InboxSettings with(InboxSettings settings, Duration willGrace) {
    return RecordBuilder.from(settings).with(InboxSettings::willGrace, willGrace).build();
  }

  private static SessionSettings sessions(Simulation simulation, int buffered) {
    Map<String, Object> changes = new LinkedHashMap<>();
    changes.put("connectTimeout", Duration.ofSeconds(2));
    changes.put("receiveMaximum", RECEIVE_MAXIMUM);
    changes.put("maxPendingPublishes", (int) simulation.between(1, 16));
    changes.put("maxInflight", MAX_INFLIGHT);
    changes.put("maxQueuedMessages", 10_000);
    changes.put("inboxBufferMessages", buffered);
    changes.put("inboxBufferBytes", (int) simulation.between(1_024, 4_096));
    changes.put("maxPendingSubscribes", (int) simulation.between(1, 4));
    changes.put("retainedPageMessages", (int) simulation.between(1, 5));
    SessionSettings settings = SessionSettings.defaults();
    for (Map.Entry<String, Object> change : changes.entrySet()) {
      settings = Settings.with(settings, change.getKey(), change.getValue());
    }
    return settings;
  }

  private static DeliverySettings delivery(int pushed) {
    return RecordBuilder.from(DeliverySettings.DEFAULTS)
        .with(DeliverySettings::maxCachedTopics, 20)
        .with(DeliverySettings::maxCachedFanOut, 4)
        .with(DeliverySettings::outboxDeliveries, 4)
        .with(DeliverySettings::mailboxBatchSize, 8)
        .with(DeliverySettings::mailboxHighWater, 64)
        .with(DeliverySettings::mailboxCapacity, 10_000)
        .with(DeliverySettings::mailboxHighWaterBytes, 1 << 16)
        .with(DeliverySettings::mailboxCapacityBytes, 1 << 24)
        .with(DeliverySettings::routeRemovalsInFlight, 2)
        .with(DeliverySettings::pushedEntriesPerInbox, pushed)
        .with(DeliverySettings::pushedBytesPerInbox, 4_096)
        .with(DeliverySettings::maxRepeatingPublishers, 100)
        .with(DeliverySettings::maxRepeatableMessages, 1_000)
        .with(DeliverySettings::maxShares, 100)
        .with(DeliverySettings::shareStrategy, ShareStrategy.ROUND_ROBIN)
        .build();
  }

  private static InboxSettings inboxes(Simulation simulation) {
    return RecordBuilder.from(InboxSettings.DEFAULT)
        .with(InboxSettings::initialRanges, 2)
        .with(InboxSettings::limits, InboxLimits.DEFAULT)
        .with(InboxSettings::cachedInboxes, (int) simulation.between(1, 100))
        .with(InboxSettings::commitLinger, Duration.ofMillis(simulation.between(0, 50)))
        .with(InboxSettings::maxCommitInboxes, 100)
        .with(InboxSettings::maxCommitSpan, 512)
        .with(InboxSettings::busyBackoff, Duration.ofMillis(50))
        .with(InboxSettings::maxBusyRetries, 3)
        .with(InboxSettings::detachRetryInterval, Duration.ofSeconds(1))
        .with(InboxSettings::maxPendingDetaches, 100)
        .with(InboxSettings::willGrace, Duration.ZERO)
        .with(InboxSettings::producerIdle, Duration.ofDays(7))
        .with(InboxSettings::sweepItems, 3)
        .with(InboxSettings::sweepSteps, 100)
        .build();
  }

  private static RangeClientSettings client(Duration deadline) {
    return RecordBuilder.from(RangeSimSettings.CLIENT)
        .with(RangeClientSettings::maxCommandBytes, 100_000)
        .with(RangeClientSettings::maxBatchBytes, 40_000)
        .with(RangeClientSettings::maxBatchCommands, 20)
        .with(RangeClientSettings::maxBatchResponseBytes, 300)
        .with(RangeClientSettings::maxQueuedCommands, 1_000)
        .with(RangeClientSettings::maxQueuedBytes, 1_000_000)
        .with(RangeClientSettings::maxQueries, 100)
        .with(RangeClientSettings::deadline, deadline)
        .with(RangeClientSettings::attemptTimeout, Duration.ofMillis(100))
        .with(RangeClientSettings::reregisterAfter, Duration.ofMillis(1_000))
        .build();
  }
}
