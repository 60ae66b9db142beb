package io.fjordmq.cli;

import picocli.CommandLine.Option;

/** The option of commands that destroy something. */
final class YesOption {
  @Option(names = "--yes", description = "do not ask for confirmation")
  boolean isConfirmed;
}
