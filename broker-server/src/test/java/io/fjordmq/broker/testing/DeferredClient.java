package io.fjordmq.broker.testing;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Calls the ranges when the test runs the tasks, as if from another thread. */
final class DeferredClient implements RangeClient {
  private final RangeClient client;
  private final StoreTasks commands;
  private final StoreTasks queries;

  DeferredClient(RangeClient client, StoreTasks commands, StoreTasks queries) {
    this.client = client;
    this.commands = commands;
    this.queries = queries;
  }

  private static <T> CompletableFuture<T> later(
      StoreTasks tasks, Supplier<CompletableFuture<T>> call) {
    return tasks.call(call).thenCompose(answer -> answer);
  }

  @Override
  public CompletableFuture<byte[]> mutate(byte[] key, byte[] command) {
    return later(commands, () -> client.mutate(key, command));
  }

  @Override
  public CompletableFuture<List<GroupResponse>> mutateGrouped(
      List<byte[]> keys, GroupEncoder encoder) {
    return later(commands, () -> client.mutateGrouped(keys, encoder));
  }

  @Override
  public CompletableFuture<byte[]> query(byte[] key, byte[] query) {
    return later(queries, () -> client.query(key, query));
  }

  @Override
  public List<KeyInterval> locate(KeyInterval interval) {
    return client.locate(interval);
  }
}
