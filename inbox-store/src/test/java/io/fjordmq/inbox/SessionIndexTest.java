package io.fjordmq.inbox;

import static io.fjordmq.inbox.Samples.LIMITS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A search for the sessions of a user reads only buckets in which the user has sessions. */
class SessionIndexTest {
  private static final int SESSIONS = 20_000;

  private final SessionIndex index = new SessionIndex();
  private final Rows rows = new Rows();
  private final InboxMemory memory = new InboxMemory(1);

  private static SessionUser user(int number) {
    return new SessionUser("u:" + number, false);
  }

  private List<Integer> buckets(int user) {
    return IntStream.range(0, InboxId.BUCKETS)
        .filter(index.buckets(user(user).name()))
        .boxed()
        .toList();
  }

  private static InboxId id(int session) {
    return new InboxId("t", "c" + session);
  }

  private void store(int session, SessionUser user) {
    InboxId id = id(session);
    InboxState state =
        new InboxState(
            new InboxHandle(id, session + 1, 1),
            null,
            1,
            3_600,
            LIMITS,
            null,
            InboxState.NEVER,
            InboxState.NEVER,
            user,
            false);
    rows.rows.put(InboxKeys.state(id.bucket(), id), state.encode());
    rows.rows.put(InboxKeys.cursor(id.bucket(), session + 1), new InboxCursor().encode());
  }

  private SessionQueries.SessionPage list(String user) {
    rows.visited = 0;
    SessionFilter filter = new SessionFilter(null, null, user, null, null);
    return ListSessions.decodeResponse(
        new ListSessions(SessionPosition.START, filter, 1, 100).execute(rows, memory));
  }

  @Test
  void shouldKnowNoBucketsWithoutSessions() {
    assertThat(buckets(1)).isEmpty();
    assertThat(index.buckets(null).test(1)).isFalse();
    index.add(1, null);
    assertThat(buckets(1)).isEmpty();
    assertThat(index.buckets(null).test(1)).isTrue();
    index.changeUser(1, null, user(1));
    assertThat(buckets(1)).containsExactly(1);
    index.remove(1, user(1));
    assertThat(index.buckets(null).test(1)).isFalse();
  }

  @Test
  void shouldKnowTheBucketsOfEachUserWhateverTheChanges() {
    Random random = new Random(3);
    int[][] count = new int[20][InboxId.BUCKETS];
    for (int i = 0; i < 50_000; i++) {
      int bucket = random.nextInt(i < 40_000 ? 8 : 2);
      int user = random.nextInt(count.length);
      int other = random.nextInt(count.length);
      if (random.nextBoolean()) {
        index.add(bucket, user(user));
        count[user][bucket]++;
      } else if (count[user][bucket] > 0 && random.nextBoolean()) {
        index.remove(bucket, user(user));
        count[user][bucket]--;
      } else if (count[user][bucket] > 0) {
        index.changeUser(bucket, user(user), user(other));
        count[user][bucket]--;
        count[other][bucket]++;
      }
    }
    for (int user = 0; user < count.length; user++) {
      int[] of = count[user];
      assertThat(buckets(user))
          .isEqualTo(IntStream.range(0, of.length).filter(i -> of[i] > 0).boxed().toList());
    }
  }

  @Test
  void shouldBeBuiltFromTheRowsAndLimitTheRowsThatAreRead() {
    for (int i = 0; i < SESSIONS; i++) {
      store(i, user(i % (SESSIONS / 2)));
    }
    memory.open(KeyInterval.ALL, rows);
    SessionQueries.SessionPage page = list(user(7).name());
    assertThat(page.sessions())
        .extracting(StoredSession::id)
        .containsExactlyInAnyOrder(id(7), id(SESSIONS / 2 + 7));
    assertThat(page.next()).isEqualTo(SessionPosition.END);
    assertThat(rows.visited).isLessThan(100);
    assertThat(list("u:nobody").next()).isEqualTo(SessionPosition.END);
    assertThat(rows.visited).isZero();
  }

  @Test
  void shouldEndAtTheEndOfTheRange() {
    IntStream.range(0, 100).forEach(i -> store(i, user(i)));
    memory.open(new KeyInterval(new byte[0], InboxKeys.bucketStart(2_000)), rows);
    assertThat(list("u:nobody").next()).isEqualTo(SessionPosition.startOf(2_000));
  }

  /** Rows in memory, which counts those that are read. */
  private static final class Rows implements KvReader {
    private final NavigableMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
    private int visited;

    @Override
    public byte @Nullable [] get(byte[] key) {
      return rows.get(key);
    }

    @Override
    public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
      visit(to == null ? rows.tailMap(from) : rows.subMap(from, to), visitor);
    }

    @Override
    public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
      visit(
          (to == null ? rows.tailMap(from, true) : rows.subMap(from, true, to, false))
              .descendingMap(),
          visitor);
    }

    private void visit(Map<byte[], byte[]> selected, Visitor visitor) {
      for (Map.Entry<byte[], byte[]> row : selected.entrySet()) {
        visited++;
        if (!visitor.visit(row.getKey(), row.getValue())) {
          return;
        }
      }
    }
  }
}
