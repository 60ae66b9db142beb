package io.fjordmq.broker.simulation;

import io.fjordmq.broker.delivery.DeliverySettings;
import io.fjordmq.broker.delivery.ShareStrategy;
import io.fjordmq.broker.net.Settings;
import io.fjordmq.broker.session.SessionSettings;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.router.RouterSettings;
import io.netty.channel.WriteBufferWaterMark;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A broker's settings for one run: small bounds, so that each is met, and impatient or patient as
 * the seed says.
 */
record SimSettings(
    int eventLoops,
    SessionSettings sessions,
    DeliverySettings delivery,
    RouterSettings router,
    InboxSettings inboxes,
    RetainSettings retained,
    RangeStoreSettings ranges,
    RangeClientSettings client,
    WriteBufferWaterMark marks) {

  /** Publishes a client may have unacknowledged; model clients know it. */
  static final int RECEIVE_MAXIMUM = 12;

  /** With this deadline the broker gives up no call to its stores while leaders change. */
  static final long PATIENT_MILLIS = 3_000;

  /** With this deadline it gives up none while replicas are slow and leaders stay. */
  static final long STEADY_MILLIS = 1_000;

  /** What a client that does not say is sent at a time. */
  static final int MAX_INFLIGHT = 8;

  static SimSettings draw(Simulation simulation, Path directory) {
    int buffered = (int) simulation.between(1, 16);
    return new SimSettings(
        (int) simulation.between(1, 3),
        sessions(simulation, buffered),
        delivery((int) simulation.between(1, 16)),
        new RouterSettings(1, (int) simulation.between(1, 100), RouterSettings.Barrier.DEFAULTS),
        inboxes(simulation),
        new RetainSettings(1, 1_000),
        ranges(directory),
        client(
            Duration.ofMillis(
                simulation.chance(30) ? 250 : simulation.between(STEADY_MILLIS, 10_000))),
        new WriteBufferWaterMark(64, (int) simulation.between(128, 4_096)));
  }

  /** For a node among others: how it waits for their routes. */
  SimSettings with(RouterSettings.Barrier barrier) {
    RouterSettings among = new RouterSettings(1, router.maxCachedTopics(), barrier);
    return new SimSettings(
        eventLoops, sessions, delivery, among, inboxes, retained, ranges, client, marks);
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
    return new DeliverySettings(
        20,
        4,
        4,
        8,
        64,
        10_000,
        1 << 16,
        1 << 24,
        2,
        pushed,
        4_096,
        100,
        1_000,
        100,
        ShareStrategy.ROUND_ROBIN);
  }

  private static InboxSettings inboxes(Simulation simulation) {
    return new InboxSettings(
        2,
        InboxLimits.DEFAULT,
        (int) simulation.between(1, 100),
        Duration.ofMillis(simulation.between(0, 50)),
        100,
        512,
        Duration.ofMillis(50),
        3,
        Duration.ofSeconds(1),
        100,
        Duration.ZERO,
        Duration.ofDays(7),
        3,
        100);
  }

  private static RangeStoreSettings ranges(Path directory) {
    return new RangeStoreSettings(
        directory,
        1 << 20,
        4_096,
        16,
        Duration.ofMillis(400),
        20_000,
        Duration.ofMillis(50),
        Duration.ofMillis(400));
  }

  private static RangeClientSettings client(Duration deadline) {
    return new RangeClientSettings(
        100_000,
        40_000,
        20,
        300,
        Duration.ofMillis(4),
        3,
        1_000,
        1_000_000,
        100,
        deadline,
        Duration.ofMillis(100),
        Duration.ofMillis(5),
        Duration.ofMillis(100),
        Duration.ofMillis(1_000));
  }
}
