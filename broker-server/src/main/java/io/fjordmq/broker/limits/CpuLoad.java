package io.fjordmq.broker.limits;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** Measures the CPU load of this host, including other processes. */
public final class CpuLoad {
  private final @Nullable OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /**
   * Returns the utilization of the processors available to this process since the previous call,
   * from 0 to 1; 0 if unknown.
   */
  public double load() {
    return system == null ? 0 : Math.max(0, system.getCpuLoad());
  }
}
