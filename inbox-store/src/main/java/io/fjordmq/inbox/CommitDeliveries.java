package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes acknowledged entries of many inboxes in one range. Answers one byte per inbox: 0 done, 1
 * fenced.
 */
record CommitDeliveries(List<Commit> commits) implements InboxCommand {
  /*
   *   v  number of commits
   *   .. handle, v upTo, numbers beyond    for each
   */
  static final int KIND = 2;
  static final byte DONE = 0;
  static final byte FENCED = 1;

  /** The acknowledgements of one inbox. */
  record Commit(InboxHandle handle, long upTo, List<Long> beyond) {}

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public int expectedBytes() {
    return 8 + 48 * commits.size();
  }

  @Override
  public void write(ByteWriter out) {
    out.writeVarint(commits.size());
    for (Commit commit : commits) {
      FieldCodec.writeHandle(out, commit.handle());
      out.writeVarint(commit.upTo());
      FieldCodec.writeNumbers(out, commit.beyond());
    }
  }

  static CommitDeliveries read(ByteReader in) {
    int count = in.readCount(13);
    List<Commit> commits = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      commits.add(
          new Commit(FieldCodec.readHandle(in), in.readVarint(), FieldCodec.readNumbers(in)));
    }
    return new CommitDeliveries(commits);
  }

  @Override
  public byte[] apply(InboxTables tables) {
    byte[] answers = new byte[commits.size()];
    for (int i = 0; i < answers.length; i++) {
      Commit commit = commits.get(i);
      Inbox inbox = tables.findOwned(commit.handle());
      if (inbox == null) {
        answers[i] = FENCED;
      } else {
        new EntryQueue(tables, inbox).acknowledge(commit.upTo(), commit.beyond());
      }
    }
    return answers;
  }
}
