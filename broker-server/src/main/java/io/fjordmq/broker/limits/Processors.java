package io.fjordmq.broker.limits;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** What the processors have to do, by this process and others. */
public final class Processors {
  private final @Nullable OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** Share of all that this process may use, 0 to 1, since the call before; 0 if it is unknown. */
  public double load() {
    return system == null ? 0 : Math.max(0, system.getCpuLoad());
  }
}
