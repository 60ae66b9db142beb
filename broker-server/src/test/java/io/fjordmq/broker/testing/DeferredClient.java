package io.fjordmq.broker.testing;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Calls the ranges when the test runs the tasks, as if from another thread. */
final class DeferredClient implements RangeClient {
  private final RangeClient client;
  private final StoreTasks tasks;

  DeferredClient(RangeClient client, StoreTasks tasks) {
    this.client = client;
    this.tasks = tasks;
  }

  private <T> CompletableFuture<T> later(Supplier<CompletableFuture<T>> call) {
    return tasks.call(call).thenCompose(answer -> answer);
  }

  @Override
  public CompletableFuture<byte[]> mutate(byte[] key, byte[] command) {
    return later(() -> client.mutate(key, command));
  }

  @Override
  public CompletableFuture<List<GroupResponse>> mutateGrouped(
      List<byte[]> keys, GroupEncoder encoder) {
    return later(() -> client.mutateGrouped(keys, encoder));
  }

  @Override
  public CompletableFuture<byte[]> query(byte[] key, byte[] query) {
    return later(() -> client.query(key, query));
  }

  @Override
  public List<KeyInterval> locate(KeyInterval interval) {
    return client.locate(interval);
  }
}
