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

/** A transport whose replies a test gives by hand. Registrations are answered by themselves. */
final class FakeRanges implements RangeTransport {
  final Queue<Sent> sent = new ArrayDeque<>();
  final Queue<Asked> asked = new ArrayDeque<>();
  private long nextSender = 1;
  private boolean answersRegistrations = true;
  private Predicate<Sent> appliedAtOnce = batch -> false;

  /** An attempt of a batch. */
  record Sent(
      NodeId node,
      RangeId range,
      long epochVersion,
      long sender,
      long number,
      int enoughAnswerBytes,
      List<String> commands,
      Consumer<RangeResult> reply) {

    /** Every command's answer is the command itself. */
    void apply() {
      apply(commands.size());
    }

    /** The answers of so many are large enough: the other commands are not applied. */
    void apply(int some) {
      List<byte[]> answers = new ArrayList<>();
      commands.subList(0, some).forEach(command -> answers.add(command.getBytes(UTF_8)));
      reply.accept(new RangeResult.Applied(number, answers));
    }
  }

  /** An attempt of a query. */
  record Asked(
      NodeId node, RangeId range, long leastIndex, String query, Consumer<RangeResult> reply) {}

  /** Such batches are applied on the stack that proposes them. */
  void applyAtOnce(Predicate<Sent> which) {
    appliedAtOnce = which;
  }

  void ignoreRegistrations() {
    answersRegistrations = false;
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    RangeEntry decoded = RangeEntry.decode(ByteBuffer.wrap(entry));
    if (decoded instanceof RangeEntry.Mutations mutations) {
      List<String> commands =
          mutations.commands().stream().map(c -> UTF_8.decode(c).toString()).toList();
      Sent batch =
          new Sent(
              node,
              range,
              mutations.epochVersion(),
              mutations.sender(),
              mutations.number(),
              mutations.enoughAnswerBytes(),
              commands,
              reply);
      if (appliedAtOnce.test(batch)) {
        batch.apply();
      } else {
        sent.add(batch);
      }
    } else if (answersRegistrations) {
      reply.accept(new RangeResult.Registered(nextSender++));
    }
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long leastIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    asked.add(new Asked(node, range, leastIndex, new String(query, UTF_8), reply));
  }

  /** The oldest attempt that was not taken yet. */
  Sent takeSent() {
    return sent.remove();
  }

  Asked takeAsked() {
    return asked.remove();
  }
}
