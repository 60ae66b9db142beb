package io.fjordmq.broker.ops;

import io.fjordmq.broker.accounts.AccountObserver;
import io.fjordmq.broker.alarms.AlarmObserver;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.http.HttpLimit;
import io.fjordmq.broker.http.HttpObserver;
import io.fjordmq.broker.http.MetricsFormat;
import io.fjordmq.broker.net.ListenerObserver;
import io.fjordmq.broker.nodes.NodesObserver;
import io.fjordmq.broker.security.SecurityObserver;
import io.fjordmq.broker.session.SessionObserver;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.router.client.RouteObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.util.internal.PlatformDependent;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All metrics of a node: those defined in {@link Metric}, and Micrometer's JVM and process metrics.
 * Components report events through observers that they receive when they are built; all other state
 * is read on each scrape.
 */
public final class BrokerMetrics implements AutoCloseable {
  private static final List<String> STORES = List.of("dist", "inbox", "retain");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /** Contains the registry above, and others; null if there is only that one. */
  private final @Nullable CompositeMeterRegistry all;

  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final SessionMeters sessions;
  private final ListenerMeters listeners;
  private final SecurityMeters security;
  private final AccountMeters accounts;
  private final DeliveryMeters delivery;
  private final NodesMeters nodes;
  private final RouteMeters routes;
  private final InboxMeters inboxes;
  private final RangeMeters ranges;
  private final ConsensusMeters consensus;
  private final StatusGauges gauges;
  private final AlarmMeters alarms;
  private final Meters meters;
  private final Map<HttpLimit, LongAdder> httpLimits;
  private volatile @Nullable Supplier<NodeStatus> source;
  private volatile BooleanSupplier ready = () -> false;

  /**
   * @param version the FjordMQ version, a label of {@code fjordmq_build_info}
   */
  public BrokerMetrics(String version) {
    this(version, false);
  }

  /**
   * @param exported whether another registry will {@link #exportTo export} the metrics; each event
   *     then costs a little more
   */
  public BrokerMetrics(String version, boolean exported) {
    all = exported ? new CompositeMeterRegistry() : null;
    if (all != null) {
      all.add(registry);
    }
    meters = new Meters(all == null ? registry : all);
    sessions = new SessionMeters(meters);
    listeners = new ListenerMeters(meters);
    security = new SecurityMeters(meters);
    accounts = new AccountMeters(meters);
    delivery = new DeliveryMeters(meters);
    nodes = new NodesMeters(meters);
    routes = new RouteMeters(meters);
    inboxes = new InboxMeters(meters);
    ranges = new RangeMeters(meters, STORES);
    consensus = new ConsensusMeters(meters);
    gauges = new StatusGauges(meters, STORES);
    alarms = new AlarmMeters(meters);
    httpLimits = meters.counters(ClientMetric.HTTP_LIMITED, HttpLimit.class, HttpLimit::label);
    meters.gauge(NodeMetric.NETTY_DIRECT_BYTES, PlatformDependent::usedDirectMemory);
    meters.gauge(NodeMetric.READY, () -> ready.getAsBoolean() ? 1 : 0);
    meters.gauge(NodeMetric.BUILD_INFO, () -> 1, version, Runtime.version().toString());
    bindJvm(all == null ? registry : all);
  }

  private void bindJvm(MeterRegistry to) {
    gc.bindTo(to);
    new JvmMemoryMetrics().bindTo(to);
    new JvmThreadMetrics().bindTo(to);
    new ClassLoaderMetrics().bindTo(to);
    new ProcessorMetrics().bindTo(to);
    new FileDescriptorMetrics().bindTo(to);
    new UptimeMetrics().bindTo(to);
  }

  /**
   * Adds a registry that exports all metrics. It does not {@link #update} them.
   *
   * @throws IllegalStateException if the metrics were created without support for export
   */
  public void exportTo(MeterRegistry other) {
    if (all == null) {
      throw new IllegalStateException("the metrics were created without support for export");
    }
    all.add(other);
  }

  public SecurityObserver security() {
    return security;
  }

  public AccountObserver accounts() {
    return accounts;
  }

  public SessionObserver sessions() {
    return sessions;
  }

  public ListenerObserver listeners() {
    return listeners;
  }

  public DeliveryObserver delivery() {
    return delivery;
  }

  public NodesObserver nodes() {
    return nodes;
  }

  public RouteObserver routes() {
    return routes;
  }

  public InboxObserver inboxes() {
    return inboxes;
  }

  public RangeObserver ranges() {
    return ranges;
  }

  public AlarmObserver alarms() {
    return alarms;
  }

  public HttpObserver http() {
    return new HttpObserver() {
      @Override
      public void onLimitReached(HttpLimit limit) {
        Objects.requireNonNull(httpLimits.get(limit)).increment();
      }

      @Override
      public void onCertificate(Instant expires) {
        listeners.onCertificate("httpConfig", expires);
      }
    };
  }

  public ConsensusObserver consensus() {
    return consensus;
  }

  /** Returns the counters of client traffic since the process started. */
  public ClientTraffic traffic() {
    return sessions.traffic(
        inboxes.expiredSessions(), delivery.droppedCopies() + inboxes.droppedCopies());
  }

  /** Returns the counters that the API shows, by name, since the process started. */
  public Map<String, Long> counters() {
    Map<String, Long> values = new LinkedHashMap<>();
    for (ClientCounter counter : ClientCounter.values()) {
      values.put(counter.label(), counter.read(meters));
    }
    return values;
  }

  /** Returns the times from PUBLISH to acknowledgement since the process started. */
  public LatencyHistogram acknowledgements() {
    return sessions.acknowledgements();
  }

  /**
   * Makes the gauges show the given status.
   *
   * @param status supplies the status; called once per scrape, must not block
   */
  public void watch(Supplier<NodeStatus> status) {
    source = status;
  }

  /**
   * Makes {@code fjordmq_ready} show the readiness of the node.
   *
   * @param readiness called on each scrape, also while the node starts and stops; must not block
   */
  public void watchReadiness(BooleanSupplier readiness) {
    ready = readiness;
  }

  /** Freezes the gauges at their latest values, so that components can be closed. */
  public void unwatch() {
    source = null;
  }

  /** Makes the gauges show the current status. */
  public void update() {
    Supplier<NodeStatus> current = source;
    if (current != null) {
      gauges.update(current.get());
    }
  }

  /** Returns all metrics in the given format. */
  public String scrape(MetricsFormat format) {
    update();
    return registry.scrape(format.contentType());
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
