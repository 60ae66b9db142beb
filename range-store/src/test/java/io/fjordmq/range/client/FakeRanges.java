package io.fjordmq.range.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A transport whose replies are sent by the test. Registrations succeed automatically. */
final class FakeRanges implements RangeTransport {
  final Queue<BatchAttempt> batches = new ArrayDeque<>();
  final Queue<QueryAttempt> queries = new ArrayDeque<>();
  private long nextSender = 1;
  private boolean respondsToRegistrations = true;
  private Predicate<BatchAttempt> appliedImmediately = batch -> false;

  /** An attempt to send a batch. */
  record BatchAttempt(
      NodeId node,
      RangeId range,
      long epochVersion,
      long sender,
      long number,
      int maxBatchResponseBytes,
      List<String> commands,
      Consumer<RangeResult> reply) {

    /** Applies the batch; the response to each command is the command itself. */
    void apply() {
      apply(commands.size());
    }

    /** Applies only the first commands, as if their responses had reached the size limit. */
    void apply(int count) {
      List<byte[]> responses = new ArrayList<>();
      commands.subList(0, count).forEach(command -> responses.add(command.getBytes(UTF_8)));
      reply.accept(new RangeResult.Applied(number, responses));
    }
  }

  /** An attempt to execute a query. */
  record QueryAttempt(
      NodeId node, RangeId range, long minIndex, String query, Consumer<RangeResult> reply) {}

  /** Applies matching batches synchronously, on the stack that proposes them. */
  void applyImmediately(Predicate<BatchAttempt> filter) {
    appliedImmediately = filter;
  }

  void ignoreRegistrations() {
    respondsToRegistrations = false;
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    RangeEntry decoded = RangeEntry.decode(ByteBuffer.wrap(entry));
    if (decoded instanceof RangeEntry.Mutations mutations) {
      List<String> commands =
          mutations.commands().stream().map(c -> UTF_8.decode(c).toString()).toList();
      BatchAttempt batch =
          new BatchAttempt(
              node,
              range,
              mutations.epochVersion(),
              mutations.sender(),
              mutations.number(),
              mutations.maxBatchResponseBytes(),
              commands,
              reply);
      if (appliedImmediately.test(batch)) {
        batch.apply();
      } else {
        batches.add(batch);
      }
    } else if (respondsToRegistrations) {
      reply.accept(new RangeResult.Registered(nextSender++));
    }
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long minIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    queries.add(new QueryAttempt(node, range, minIndex, new String(query, UTF_8), reply));
  }

  /** Returns the oldest attempt that has not been taken yet. */
  BatchAttempt takeBatch() {
    return batches.remove();
  }

  QueryAttempt takeQuery() {
    return queries.remove();
  }
}
