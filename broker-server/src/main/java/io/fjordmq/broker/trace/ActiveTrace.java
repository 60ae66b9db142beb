package io.fjordmq.broker.trace;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.bans.IpNetwork;
import org.jspecify.annotations.Nullable;

/**
 * A trace that is in progress, with its file on this node.
 *
 * @param filter what a trace of topics matches; null for other traces
 * @param network what a trace of addresses matches; null for other traces
 */
record ActiveTrace(
    Trace trace, TraceFile file, @Nullable TopicFilter filter, @Nullable IpNetwork network) {
  static ActiveTrace of(Trace trace, TraceFile file) {
    return new ActiveTrace(
        trace,
        file,
        trace.type() == TraceType.TOPIC ? TopicFilter.parse(trace.value()) : null,
        trace.type() == TraceType.IP_ADDRESS ? TraceRules.network(trace.value()) : null);
  }

  /**
   * Whether the trace may show a client of this tenant.
   *
   * @param tenant null if the client is not authenticated
   */
  boolean mayShow(@Nullable String tenant) {
    return trace.tenant() == null || trace.tenant().equals(tenant);
  }

  boolean accepts() {
    return file.isAccepting();
  }
}
