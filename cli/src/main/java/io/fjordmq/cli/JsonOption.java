package io.fjordmq.cli;

import picocli.CommandLine.Option;

/** The option for programs. */
final class JsonOption {
  @Option(names = "--json", description = "print the JSON of the API")
  boolean isJson;
}
