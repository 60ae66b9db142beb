package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvWriter;
import io.fjordmq.range.kv.WriteSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the cost of applying commands without the engine: decode, apply, add to the batch. A
 * program, not a test: run {@code main} from an IDE or with the test class path.
 */
final class AppendBenchmark {
  private static final int INBOXES = 10_000;
  private static final int ROUNDS = 12;

  private AppendBenchmark() {}

  public static void main(String[] args) {
    Replica replica = new Replica();
    List<InboxHandle> handles = new ArrayList<>();
    for (int i = 0; i < INBOXES; i++) {
      InboxId id = new InboxId("tenant", "client-" + i);
      AttachSession attach =
          new AttachSession(id, false, new Owner("n", 1), 60, InboxLimits.DEFAULT, i, null);
      handles.add(AttachmentCodec.decode(replica.apply(attach.encode())).handle());
    }
    byte[] message =
        MessageCodec.encode(
            new Message(
                new Topic("site/1/temperature"),
                new byte[256],
                Qos.AT_LEAST_ONCE,
                false,
                MessageProperties.NONE,
                "publisher",
                1_900_000_000_000L,
                Message.NEVER));
    for (int round = 1; round <= ROUNDS; round++) {
      long append = replica.time(inserts(handles, message));
      long fanOut = replica.time(List.of(fanOut(handles, message)));
      long commit = replica.time(commits(handles, 2L * round + 1));
      System.out.printf(
          "round %d: append %d ns, append in a fan-out %d ns, commit of 2 %d ns%n",
          round, append / INBOXES, fanOut / INBOXES, commit / INBOXES);
    }
  }

  private static List<byte[]> inserts(List<InboxHandle> handles, byte[] message) {
    return handles.stream()
        .map(
            handle ->
                new InsertMessage(ByteBuffer.wrap(message), null, 0, List.of(target(handle)))
                    .encode())
        .toList();
  }

  private static byte[] fanOut(List<InboxHandle> handles, byte[] message) {
    return new InsertMessage(
            ByteBuffer.wrap(message),
            null,
            0,
            handles.stream().map(AppendBenchmark::target).toList())
        .encode();
  }

  private static List<byte[]> commits(List<InboxHandle> handles, long upTo) {
    List<CommitDeliveries.Commit> commits = new ArrayList<>();
    handles.forEach(handle -> commits.add(new CommitDeliveries.Commit(handle, upTo, List.of())));
    return List.of(new CommitDeliveries(commits).encode());
  }

  private static InboxTarget target(InboxHandle handle) {
    return new InboxTarget(handle.id(), handle.incarnation(), Qos.AT_LEAST_ONCE, false, List.of());
  }

  /** A coprocessor whose batches are discarded; an append does not depend on earlier rows. */
  private static final class Replica {
    private final SimInboxReplica rows = new SimInboxReplica(1);
    private final InboxCoprocessor coprocessor = new InboxCoprocessor(2 * INBOXES, () -> {});
    private final KvBatch batch = new KvBatch();
    private final WriteSet state = new WriteSet(rows, batch);

    Replica() {
      coprocessor.open(KeyInterval.ALL, rows);
    }

    byte[] apply(byte[] command) {
      return coprocessor.apply(ByteBuffer.wrap(command), new Context(state));
    }

    long time(List<byte[]> commands) {
      long start = System.nanoTime();
      for (int i = 0; i < commands.size(); i++) {
        apply(commands.get(i));
        if (i % 64 == 63) {
          batch.clear();
          state.reset();
        }
      }
      long nanos = System.nanoTime() - start;
      batch.clear();
      state.reset();
      return nanos;
    }
  }

  private record Context(KvWriter state) implements ApplyContext {
    @Override
    public long nowMillis() {
      return 1_900_000_000_000L;
    }

    @Override
    public int level() {
      return 1;
    }

    @Override
    public long index() {
      return 1;
    }

    @Override
    public long epochVersion() {
      return 1;
    }

    @Override
    public void emit(Object effect) {}
  }
}
