package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.NodeOperationException;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import java.util.concurrent.CompletableFuture;

/** Translates the outcome of requests to single nodes. */
final class NodeErrors {
  private NodeErrors() {}

  /** Translates failures of the node into API errors. */
  static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return ExpectedFailures.translate(
        result, NodeOperationException.class, NodeErrors::asApiException);
  }

  /** The response to a command: 200 with its result, or 409 with the reason of the failure. */
  static CompletableFuture<Response> command(CompletableFuture<CommandResult> result) {
    return translate(result).thenApply(done -> Response.ok(new CommandOutcome(text(done))));
  }

  /**
   * Returns the text of a command that is done or in progress.
   *
   * @throws ApiException 409 if it failed
   */
  static String text(CommandResult result) {
    return switch (result.exitCode()) {
      case CommandResult.DONE, CommandResult.IN_PROGRESS -> result.text();
      case CommandResult.USAGE_ERROR -> throw ApiException.badRequest(result.text());
      default -> throw ApiException.conflict(result.text());
    };
  }

  private static ApiException asApiException(NodeOperationException failure) {
    String message = String.valueOf(failure.getMessage());
    return switch (failure.kind()) {
      case UNKNOWN_NODE -> ApiException.notFound(Excerpt.of(message));
      case UNAVAILABLE -> ApiException.unavailable(message);
    };
  }
}
