package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.ClusterCommands;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Executes blocking cluster commands one at a time on a dedicated thread. */
final class CommandQueue implements AutoCloseable {
  private static final int MAX_WAITING = 16;
  private static final int KEEP_ALIVE_SECONDS = 60;

  private final ClusterCommands commands;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          KEEP_ALIVE_SECONDS,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_WAITING),
          task -> new Thread(task, "http-commands"));

  CommandQueue(ClusterCommands commands) {
    this.commands = commands;
    thread.allowCoreThreadTimeOut(true);
  }

  /** The number of voters of each store. */
  VoterCounts voterCounts() {
    return VoterCounts.of(commands.voterCounts());
  }

  /**
   * Executes a command. A command that has begun is completed even if the caller no longer waits.
   *
   * @param words its name and its arguments
   * @return completes with the outcome, or with an {@link ApiException}: 400 if the command is
   *     invalid, 409 if it failed, 503 if too many commands wait
   */
  CompletableFuture<CommandOutcome> execute(Request request, String... words) {
    CompletableFuture<CommandOutcome> outcome = new CompletableFuture<>();
    try {
      thread.execute(() -> run(request, List.of(words), outcome));
    } catch (RejectedExecutionException e) {
      throw ApiException.unavailable("too many cluster commands are waiting; retry later");
    }
    return outcome;
  }

  private void run(Request request, List<String> words, CompletableFuture<CommandOutcome> outcome) {
    if (request.remaining().isZero()) {
      outcome.completeExceptionally(
          new ApiException(
              ErrorCode.TIMEOUT,
              "the command did not start because earlier commands took too long; retry"
                  + " later"));
      return;
    }
    try {
      CommandResult result = commands.execute(words);
      switch (result.exitCode()) {
        case CommandResult.DONE -> outcome.complete(new CommandOutcome(result.text()));
        case CommandResult.USAGE_ERROR ->
            outcome.completeExceptionally(ApiException.badRequest(result.text()));
        default -> outcome.completeExceptionally(ApiException.conflict(result.text()));
      }
    } catch (RuntimeException | Error e) {
      outcome.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
