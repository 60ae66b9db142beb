package io.fjordmq.broker.monitor;

import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.LatencyHistogram;

/**
 * The measurements of a node at one point in time. Counters count since the process started.
 *
 * @param acknowledgements the times from PUBLISH to acknowledgement since the process started
 * @param cpuNanos CPU time of this process; {@link Series#UNKNOWN} if the system does not report it
 */
public record Reading(Gauges gauges, LatencyHistogram acknowledgements, long cpuNanos) {
  ClientTraffic traffic() {
    return gauges.traffic();
  }
}
