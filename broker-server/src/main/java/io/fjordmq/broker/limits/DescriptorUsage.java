package io.fjordmq.broker.limits;

/**
 * File descriptors of this process.
 *
 * @param open the number in use
 * @param max the limit of the process; {@link Long#MAX_VALUE} if unknown
 */
public record DescriptorUsage(long open, long max) {
  /** Whether the operating system reports a limit. */
  public boolean isKnown() {
    return max != Long.MAX_VALUE;
  }
}
