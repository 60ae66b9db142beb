package io.fjordmq.broker.ops;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.session.DropReason;
import io.fjordmq.broker.session.RejectedWork;
import io.fjordmq.broker.session.SessionObserver;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Metrics of sessions. Methods are called for every packet, so they only increment counters. */
final class SessionMeters implements SessionObserver {
  /** The values of the packet type label, indexed by packet type (MQTT 5.0 §2.1.2). */
  private static final String[] PACKETS = {
    "reserved", "connect", "connack", "publish", "puback", "pubrec", "pubrel", "pubcomp",
    "subscribe", "suback", "unsubscribe", "unsuback", "pingreq", "pingresp", "disconnect", "auth"
  };

  private final LongAdder connections;
  private final LongAdder[][] opened = new LongAdder[6][2];
  private final Map<CloseReason, LongAdder> refused;
  private final Map<CloseReason, LongAdder> closed;
  private final Meters meters;
  private final LongAdder heldBack;

  /**
   * The counters by tenant, for tenants that have their own limits; the empty name stands for all
   * other tenants.
   */
  private final Map<String, Map<Limit, LongAdder>> limitsReached = new ConcurrentHashMap<>();

  private final LongAdder[] packets = new LongAdder[PACKETS.length];
  private final LongAdder bytesRead;
  private final LongAdder packetsWritten;
  private final LongAdder bytesWritten;
  private final LongAdder subscriptions;
  private final Map<RejectedWork, LongAdder> overloaded;
  private final Map<RejectedWork, LongAdder> notServing;
  private final LongAdder[] received;
  private final LongAdder[] receivedBytes;
  private final LongAdder[] sent;
  private final LongAdder[] sentBytes;
  private final Map<DropReason, LongAdder> dropped = new EnumMap<>(DropReason.class);
  private final Timer acknowledged;
  private final Timer delivered;
  private final LongAdder inflight;
  private final LongAdder queued;
  private final LongAdder queuedBytes;

  SessionMeters(Meters meters) {
    this.meters = meters;
    connections = meters.upDownCounter(ClientMetric.CONNECTIONS);
    for (int level = 3; level <= 5; level++) {
      String protocol = level == 3 ? "3.1" : level == 4 ? "3.1.1" : "5.0";
      opened[level][0] = meters.counter(ClientMetric.CONNECTIONS_OPENED, protocol, "transient");
      opened[level][1] = meters.counter(ClientMetric.CONNECTIONS_OPENED, protocol, "persistent");
    }
    refused =
        meters.counters(ClientMetric.CONNECTIONS_REFUSED, CloseReason.class, CloseReason::label);
    closed =
        meters.counters(ClientMetric.CONNECTIONS_CLOSED, CloseReason.class, CloseReason::label);
    heldBack = meters.upDownCounter(ClientMetric.CONNECTIONS_HELD_BACK);
    limitsReached.put("", newLimits(""));
    for (int type = 1; type < PACKETS.length; type++) {
      packets[type] = meters.counter(ClientMetric.PACKETS_RECEIVED, PACKETS[type]);
    }
    bytesRead = meters.counter(ClientMetric.BYTES_RECEIVED);
    packetsWritten = meters.counter(ClientMetric.PACKETS_SENT);
    bytesWritten = meters.counter(ClientMetric.BYTES_SENT);
    subscriptions = meters.upDownCounter(ClientMetric.TRANSIENT_SUBSCRIPTIONS);
    overloaded =
        meters.counters(ClientMetric.OVERLOAD_REFUSED, RejectedWork.class, RejectedWork::label);
    notServing =
        meters.counters(ClientMetric.NOT_SERVING_REFUSED, RejectedWork.class, RejectedWork::label);
    received = byQos(meters, ClientMetric.MESSAGES_RECEIVED);
    receivedBytes = byQos(meters, ClientMetric.MESSAGES_RECEIVED_BYTES);
    sent = byQos(meters, ClientMetric.MESSAGES_SENT);
    sentBytes = byQos(meters, ClientMetric.MESSAGES_SENT_BYTES);
    for (DropReason reason : DropReason.values()) {
      dropped.put(reason, meters.counter(ClientMetric.MESSAGES_DROPPED, "session", reason.label()));
    }
    acknowledged = meters.timer(ClientMetric.PUBLISH_ACK);
    delivered = meters.timer(ClientMetric.PUBLISH_DELIVER);
    inflight = meters.upDownCounter(ClientMetric.MESSAGES_INFLIGHT);
    queued = meters.upDownCounter(ClientMetric.MESSAGES_QUEUED);
    queuedBytes = meters.upDownCounter(ClientMetric.MESSAGES_QUEUED_BYTES);
  }

  private Map<Limit, LongAdder> newLimits(String tenant) {
    Map<Limit, LongAdder> counters = new EnumMap<>(Limit.class);
    for (Limit limit : Limit.values()) {
      counters.put(limit, meters.counter(ClientMetric.LIMITS_REACHED, limit.label(), tenant));
    }
    return counters;
  }

  private static LongAdder[] byQos(Meters meters, Metric metric) {
    LongAdder[] counters = new LongAdder[Qos.values().length];
    for (Qos qos : Qos.values()) {
      counters[qos.level()] = meters.counter(metric, String.valueOf(qos.level()));
    }
    return counters;
  }

  /**
   * Returns the counters of client traffic.
   *
   * @param expiredSessions the number of expired sessions counted by the inbox store
   * @param droppedElsewhere the number of copies dropped before they reached a session
   */
  ClientTraffic traffic(long expiredSessions, long droppedElsewhere) {
    long accepted = 0;
    for (LongAdder[] bySession : opened) {
      accepted += bySession[0] == null ? 0 : sum(bySession);
    }
    return new ClientTraffic(
        connections.sum(),
        subscriptions.sum(),
        expiredSessions,
        accepted + sum(refused.values().toArray(LongAdder[]::new)),
        packets[1].sum(),
        sum(packets),
        packetsWritten.sum(),
        bytesRead.sum(),
        bytesWritten.sum(),
        sum(received),
        sum(sent),
        droppedElsewhere + sum(dropped.values().toArray(LongAdder[]::new)),
        sum(receivedBytes),
        sum(sentBytes));
  }

  /** Returns the times from PUBLISH to acknowledgement since the process started. */
  LatencyHistogram acknowledgements() {
    HistogramSnapshot snapshot = acknowledged.takeSnapshot();
    List<LatencyHistogram.Bucket> buckets =
        Stream.of(snapshot.histogramCounts())
            .map(at -> new LatencyHistogram.Bucket((long) at.bucket(), (long) at.count()))
            .toList();
    return new LatencyHistogram(buckets, snapshot.count());
  }

  private static long sum(LongAdder[] counters) {
    long sum = 0;
    for (LongAdder counter : counters) {
      sum += counter == null ? 0 : counter.sum();
    }
    return sum;
  }

  @Override
  public void onConnected(int protocolLevel, boolean persistent) {
    connections.increment();
    opened[protocolLevel][persistent ? 1 : 0].increment();
  }

  @Override
  public void onRefused(CloseReason reason) {
    Objects.requireNonNull(refused.get(reason)).increment();
  }

  @Override
  public void onDisconnected(CloseReason reason) {
    connections.decrement();
    Objects.requireNonNull(closed.get(reason)).increment();
  }

  @Override
  public void onPacketReceived(int type) {
    packets[type].increment();
  }

  @Override
  public void onReceived(Qos qos, int bytes) {
    received[qos.level()].increment();
    receivedBytes[qos.level()].add(bytes);
  }

  @Override
  public void onSent(Qos qos, int bytes) {
    sent[qos.level()].increment();
    sentBytes[qos.level()].add(bytes);
  }

  @Override
  public void onDropped(DropReason reason, long count) {
    Objects.requireNonNull(dropped.get(reason)).add(count);
  }

  @Override
  public void onAcknowledged(long nanos) {
    acknowledged.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onDelivered(long millis) {
    delivered.record(millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void addInflight(int delta) {
    inflight.add(delta);
  }

  @Override
  public void addQueued(int deltaMessages, long deltaBytes) {
    queued.add(deltaMessages);
    queuedBytes.add(deltaBytes);
  }

  @Override
  public void onLimitReached(Limit limit, String tenant) {
    Objects.requireNonNull(limitsReached.computeIfAbsent(tenant, this::newLimits).get(limit))
        .increment();
  }

  @Override
  public void onRefusedAsOverloaded(RejectedWork work) {
    Objects.requireNonNull(overloaded.get(work)).increment();
  }

  @Override
  public void onRefusedAsNotServing(RejectedWork work) {
    Objects.requireNonNull(notServing.get(work)).increment();
  }

  @Override
  public void onRead(long bytes) {
    bytesRead.add(bytes);
  }

  @Override
  public void onWritten(int packets, long bytes) {
    packetsWritten.add(packets);
    bytesWritten.add(bytes);
  }

  @Override
  public void addSubscriptions(int delta) {
    subscriptions.add(delta);
  }

  @Override
  public void onBackPressureChanged(boolean held) {
    heldBack.add(held ? 1 : -1);
  }
}
