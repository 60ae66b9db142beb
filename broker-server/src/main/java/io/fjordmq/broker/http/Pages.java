package io.fjordmq.broker.http;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The contents of the pages on the HTTP port. The HTTP server calls {@code notReadyReasons} on one
 * thread and the other suppliers on another, so a slow page does not delay health checks.
 *
 * @param metrics the metrics in the given format
 * @param notReadyReasons reasons why the node is not ready; empty if it is ready
 * @param cluster the status of nodes and ranges as text; completes asynchronously on any thread
 * @param web the files of the web page
 */
public record Pages(
    Function<MetricsFormat, String> metrics,
    Supplier<List<String>> notReadyReasons,
    Supplier<CompletableFuture<String>> cluster,
    WebFiles web) {

  /** Creates the contents of a server without a web page. */
  public Pages(
      Function<MetricsFormat, String> metrics,
      Supplier<List<String>> notReadyReasons,
      Supplier<CompletableFuture<String>> cluster) {
    this(metrics, notReadyReasons, cluster, WebFiles.NONE);
  }
}
