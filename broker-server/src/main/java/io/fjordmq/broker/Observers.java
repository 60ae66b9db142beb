package io.fjordmq.broker;

import io.fjordmq.broker.accounts.AccountObserver;
import io.fjordmq.broker.alarms.AlarmObserver;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.net.ListenerObserver;
import io.fjordmq.broker.nodes.NodesObserver;
import io.fjordmq.broker.ops.BrokerMetrics;
import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.LatencyHistogram;
import io.fjordmq.broker.security.SecurityObserver;
import io.fjordmq.broker.session.SessionObserver;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.router.client.RouteObserver;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The observers of all components. In production, they feed the metrics.
 *
 * @param traffic the counters of client traffic
 * @param counters the counters that the API shows, by name
 * @param acknowledgements the times from PUBLISH to acknowledgement
 */
public record Observers(
    ConsensusObserver consensus,
    RangeObserver ranges,
    InboxObserver inboxes,
    DeliveryObserver delivery,
    NodesObserver nodes,
    SessionObserver sessions,
    ListenerObserver listeners,
    Supplier<ClientTraffic> traffic,
    SecurityObserver security,
    AccountObserver accounts,
    AlarmObserver alarms,
    Supplier<Map<String, Long>> counters,
    Supplier<LatencyHistogram> acknowledgements,
    RouteObserver routes) {

  /** The observers that feed the given metrics. */
  public static Observers of(BrokerMetrics metrics) {
    return new Observers(
        metrics.consensus(),
        metrics.ranges(),
        metrics.inboxes(),
        metrics.delivery(),
        metrics.nodes(),
        metrics.sessions(),
        metrics.listeners(),
        metrics::traffic,
        metrics.security(),
        metrics.accounts(),
        metrics.alarms(),
        metrics::counters,
        metrics::acknowledgements,
        metrics.routes());
  }
}
