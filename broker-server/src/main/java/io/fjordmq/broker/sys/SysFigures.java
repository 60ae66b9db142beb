package io.fjordmq.broker.sys;

import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.NodeStatus;
import java.lang.management.ManagementFactory;
import java.time.Instant;

/**
 * Everything the topics are made of, at one moment.
 *
 * @param nowMillis wall clock
 * @param uptimeMillis since the node began
 * @param heapBytes in use
 */
public record SysFigures(
    long nowMillis,
    long uptimeMillis,
    long heapBytes,
    ClientTraffic clientTraffic,
    NodeStatus status) {

  /** With what the process itself knows. */
  public static SysFigures of(Instant now, ClientTraffic clientTraffic, NodeStatus status) {
    Runtime runtime = Runtime.getRuntime();
    return new SysFigures(
        now.toEpochMilli(),
        ManagementFactory.getRuntimeMXBean().getUptime(),
        runtime.totalMemory() - runtime.freeMemory(),
        clientTraffic,
        status);
  }
}
