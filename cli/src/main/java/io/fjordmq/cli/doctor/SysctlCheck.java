package io.fjordmq.cli.doctor;

import java.util.OptionalLong;
import java.util.stream.Stream;

/** A kernel setting that must not be below a value. */
final class SysctlCheck {
  private final KernelFiles machine;

  SysctlCheck(KernelFiles machine) {
    this.machine = machine;
  }

  /**
   * Checks a setting; no finding if the kernel does not have it, as in some containers.
   *
   * @param status the status if the value is lower
   * @param why what happens then
   */
  Stream<Finding> atLeast(String key, long wanted, Status status, String why) {
    OptionalLong found = machine.sysctl(key);
    if (found.isEmpty()) {
      return Stream.empty();
    }
    long value = found.getAsLong();
    String text = Long.toString(value);
    return Stream.of(
        value >= wanted
            ? Finding.ok(key, text, "at least " + wanted)
            : Finding.of(key, status, text, "at least " + wanted, why, command(key, wanted)));
  }

  /** The command that sets a value until the machine restarts. */
  static String command(String key, Object value) {
    return "sysctl -w " + key + "='" + value + "'";
  }
}
