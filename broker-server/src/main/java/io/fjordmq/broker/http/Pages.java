package io.fjordmq.broker.http;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The contents of the HTTP port. Each supplier runs on an HTTP server thread reserved for its kind;
 * a slow one delays only requests of its kind.
 *
 * @param metrics in the Prometheus text format
 * @param notReadyReasons reasons why the node is not ready; empty if it is ready
 * @param cluster nodes and ranges, as text; completes asynchronously, on any thread
 */
public record Pages(
    Supplier<String> metrics,
    Supplier<List<String>> notReadyReasons,
    Supplier<CompletableFuture<String>> cluster) {}
