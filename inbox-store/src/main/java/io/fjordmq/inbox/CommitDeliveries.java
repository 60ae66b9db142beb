package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes acknowledged entries of many inboxes in one range. The response has one byte per inbox: 0
 * done, 1 fenced.
 */
public record CommitDeliveries(List<Commit> commits) implements InboxCommand {
  /*
   *   v  number of commits
   *   .. handle, v upTo, numbers beyond    for each
   */
  static final int KIND = 2;
  static final byte DONE = 0;
  public static final byte FENCED = 1;

  /** The acknowledgements of one inbox. */
  public record Commit(InboxHandle handle, long upTo, List<Long> beyond) {}

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
  public byte[] apply(InboxRows inboxes) {
    byte[] outcomes = new byte[commits.size()];
    for (int i = 0; i < outcomes.length; i++) {
      Commit commit = commits.get(i);
      Inbox inbox = inboxes.findOwned(commit.handle());
      if (inbox == null) {
        outcomes[i] = FENCED;
      } else {
        new EntryQueue(inboxes, inbox).acknowledge(commit.upTo(), commit.beyond());
      }
    }
    return outcomes;
  }
}
