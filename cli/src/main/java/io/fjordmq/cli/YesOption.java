package io.fjordmq.cli;

import picocli.CommandLine.Option;

/** The option {@code --yes} of commands that destroy data. */
final class YesOption {
  @Option(names = "--yes", description = "do not ask for confirmation")
  boolean isConfirmed;
}
