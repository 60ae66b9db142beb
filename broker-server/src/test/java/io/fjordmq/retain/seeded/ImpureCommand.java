package io.fjordmq.retain.seeded;

/** Is among the commands and reads the clock of the host; no coprocessor uses it yet. */
public final class ImpureCommand {
  private ImpureCommand() {}

  /** Differs from replica to replica. */
  public static long stamp() {
    return System.currentTimeMillis();
  }
}
