package io.fjordmq.broker.http;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What the HTTP port shows. Each supplier is called on a thread of the HTTP server that serves
 * nothing else; one that is slow delays only requests of its kind.
 *
 * @param metrics in Prometheus' text format
 * @param notReadyBecause why the node is not ready; empty if it is
 * @param cluster nodes and ranges, as text; completes in its own time, on any thread
 */
public record Pages(
    Supplier<String> metrics,
    Supplier<List<String>> notReadyBecause,
    Supplier<CompletableFuture<String>> cluster) {}
