package io.fjordmq.cli;

/** The exit codes of all commands; some commands have further ones. */
final class ExitCode {
  static final int DONE = 0;

  /** The command was not executed, or found a problem. */
  static final int FAILED = 1;

  /** The command line is invalid. */
  static final int USAGE = 2;

  /** The node did not respond. */
  static final int UNREACHABLE = 3;

  private ExitCode() {}
}
