package io.fjordmq.broker.limits;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** CPU load of the processors, caused by this and other processes. */
public final class Processors {
  private final @Nullable OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /**
   * Utilization of the processors available to this process since the previous call, 0 to 1; 0 if
   * unknown.
   */
  public double load() {
    return system == null ? 0 : Math.max(0, system.getCpuLoad());
  }
}
