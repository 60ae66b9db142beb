package io.fjordmq.perf.machine;

import java.util.OptionalLong;

/**
 * What a service that knows the users of a broker has done since it started.
 *
 * @param starts how often it has been started; usages can be compared only if this is equal
 * @param calls commands or requests of the broker
 * @param cpuMicros its CPU time in microseconds; empty if it is not a process of its own
 */
public record ServiceUsage(int starts, long calls, OptionalLong cpuMicros) {
  /** Returns the calls since an earlier usage; empty if the service has restarted since. */
  public OptionalLong callsSince(ServiceUsage before) {
    return starts == before.starts ? OptionalLong.of(calls - before.calls) : OptionalLong.empty();
  }

  /** Returns the CPU time since an earlier usage; empty if it is unknown. */
  public OptionalLong cpuMicrosSince(ServiceUsage before) {
    return starts == before.starts && cpuMicros.isPresent() && before.cpuMicros.isPresent()
        ? OptionalLong.of(cpuMicros.getAsLong() - before.cpuMicros.getAsLong())
        : OptionalLong.empty();
  }
}
