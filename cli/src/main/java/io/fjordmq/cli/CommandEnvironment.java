package io.fjordmq.cli;

import io.fjordmq.cli.output.Terminal;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a command: the process that runs it.
 *
 * @param environment the environment variables
 * @param dataDirectory the data directory of the node on this host; null if another node is used
 * @param terminal standard input and output
 * @param clock the wall clock
 * @param pause how {@code --watch} waits
 */
record CommandEnvironment(
    Map<String, String> environment,
    @Nullable Path dataDirectory,
    Terminal terminal,
    InstantSource clock,
    Pause pause) {

  /** Waits between two outputs of {@code --watch}. */
  @FunctionalInterface
  interface Pause {
    /** Waits for some seconds; returns whether to print again. */
    boolean await(int seconds);
  }
}
