package io.fjordmq.cli;

import picocli.CommandLine.Option;

/** The option {@code --json}. */
final class JsonOption {
  @Option(names = "--json", description = "print the JSON of the API")
  boolean isJson;
}
