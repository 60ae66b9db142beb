package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.range.kv.KvWriter;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksKvSettings;
import io.fjordmq.range.kv.WriteSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures how long a replica takes to open on RocksDB, depending on inboxes and messages. A
 * program, not a test: run {@code main} from an IDE or with the test class path; arguments:
 * inboxes, messages in each.
 */
final class OpenBenchmark {
  private static final int BATCH = 500;

  private OpenBenchmark() {}

  public static void main(String[] args) throws IOException {
    int inboxes = Integer.parseInt(args[0]);
    int messages = Integer.parseInt(args[1]);
    Path directory = Files.createTempDirectory("open-figures");
    try (RocksKv kv = RocksKv.open(directory, RocksKvSettings.DEFAULTS)) {
      fill(kv.space("inbox"), inboxes, messages);
    }
    for (int round = 1; round <= 3; round++) {
      long start = System.nanoTime();
      try (RocksKv kv = RocksKv.open(directory, RocksKvSettings.DEFAULTS)) {
        long opened = System.nanoTime();
        InboxCoprocessor coprocessor = new InboxCoprocessor(50_000, () -> {});
        coprocessor.open(KeyInterval.ALL, kv.space("inbox").latest());
        long ready = System.nanoTime();
        WriteSet rows = new WriteSet(kv.space("inbox").latest(), new KvBatch());
        coprocessor.apply(ByteBuffer.wrap(new CountInboxes(inboxes).encode()), new Context(rows));
        System.out.printf(
            "round %d: storage %d ms, replica %d ms, then counting %d ms: %s%n",
            round,
            (opened - start) / 1_000_000,
            (ready - opened) / 1_000_000,
            (System.nanoTime() - ready) / 1_000_000,
            coprocessor.status());
      }
    }
  }

  private static void fill(KvSpace space, int inboxes, int messages) {
    InboxCoprocessor coprocessor = new InboxCoprocessor(inboxes, () -> {});
    coprocessor.open(KeyInterval.ALL, space.latest());
    KvBatch batch = new KvBatch();
    WriteSet rows = new WriteSet(space.latest(), batch);
    List<InboxTarget> targets = new ArrayList<>();
    for (int i = 0; i < inboxes; i++) {
      InboxId id = new InboxId("tenant", "client-" + i);
      AttachSession attach =
          new AttachSession(
              id, false, new Owner("n", 1), 3600, InboxLimits.DEFAULT, i & 0xFFFFF, null);
      byte[] response = coprocessor.apply(ByteBuffer.wrap(attach.encode()), new Context(rows));
      long incarnation = AttachmentCodec.decode(response).handle().incarnation();
      targets.add(new InboxTarget(id, incarnation, Qos.AT_LEAST_ONCE, false, List.of()));
      writeIfFull(space, rows, batch, i);
    }
    byte[] message = message();
    for (int round = 0; round < messages; round++) {
      for (int from = 0; from < inboxes; from += BATCH) {
        List<InboxTarget> some = targets.subList(from, Math.min(inboxes, from + BATCH));
        coprocessor.apply(
            ByteBuffer.wrap(new InsertMessage(ByteBuffer.wrap(message), null, 0, some).encode()),
            new Context(rows));
        writeIfFull(space, rows, batch, BATCH - 1);
      }
    }
    writeIfFull(space, rows, batch, BATCH - 1);
  }

  private static void writeIfFull(KvSpace space, WriteSet rows, KvBatch batch, int done) {
    if (done % BATCH == BATCH - 1) {
      space.write(batch);
      batch.clear();
      rows.reset();
    }
  }

  private static byte[] message() {
    return MessageCodec.encode(
        new Message(
            new Topic("site/1/temperature"),
            new byte[256],
            Qos.AT_LEAST_ONCE,
            false,
            MessageProperties.NONE,
            "publisher",
            1_900_000_000_000L,
            Message.NEVER));
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
