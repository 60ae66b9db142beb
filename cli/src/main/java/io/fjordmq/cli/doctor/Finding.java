package io.fjordmq.cli.doctor;

/**
 * The result of a check.
 *
 * @param check the name of the check, such as {@code net.core.somaxconn}
 * @param found the current value
 * @param expected the value that the node needs; empty if any is fine
 * @param why what happens with the current value, or why it is unknown
 * @param fix how to change it, in words or as a command; empty if nothing needs to change
 */
public record Finding(
    String check, Status status, String found, String expected, String why, String fix) {

  /** The value is as expected. */
  static Finding ok(String check, String found, String expected) {
    return new Finding(check, Status.OK, found, expected, "", "");
  }

  /** The value cannot be read. */
  static Finding unknown(String check, String why) {
    return new Finding(check, Status.UNKNOWN, "", "", why, "");
  }

  /** A value that must be changed, or may be. */
  static Finding of(
      String check, Status status, String found, String expected, String why, String fix) {
    return new Finding(check, status, found, expected, why, fix);
  }
}
