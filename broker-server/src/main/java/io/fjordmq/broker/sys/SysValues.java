package io.fjordmq.broker.sys;

import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.NodeStatus;
import java.lang.management.ManagementFactory;
import java.time.Instant;

/**
 * The input for the {@code $SYS} topics at one point in time.
 *
 * @param nowMillis the wall clock time
 * @param uptimeMillis time since the process started
 * @param heapBytes the heap in use
 */
public record SysValues(
    long nowMillis,
    long uptimeMillis,
    long heapBytes,
    ClientTraffic clientTraffic,
    NodeStatus status) {

  /** Creates the values, adding the uptime and heap usage of this process. */
  public static SysValues of(Instant now, ClientTraffic clientTraffic, NodeStatus status) {
    Runtime runtime = Runtime.getRuntime();
    return new SysValues(
        now.toEpochMilli(),
        ManagementFactory.getRuntimeMXBean().getUptime(),
        runtime.totalMemory() - runtime.freeMemory(),
        clientTraffic,
        status);
  }
}
