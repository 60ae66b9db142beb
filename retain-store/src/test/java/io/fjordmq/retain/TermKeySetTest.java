package io.fjordmq.retain;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TermKeySetTest {
  private static final int KEYS = 2_000;

  private final TermKeySet set = new TermKeySet();

  private record Entry(long term, byte[] key) {}

  private final TreeSet<Entry> model =
      new TreeSet<>(
          Comparator.comparingLong(Entry::term).thenComparing(Entry::key, Arrays::compareUnsigned));

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private byte @Nullable [] expectedCeiling(long term, byte[] from) {
    Entry found = model.ceiling(new Entry(term, from));
    return found == null || found.term() != term ? null : found.key();
  }

  private void requireSameAsModel() {
    for (long term = -2; term <= 3; term++) {
      for (int key = 0; key <= KEYS; key += 7) {
        assertThat(set.ceiling(term, key(key))).isEqualTo(expectedCeiling(term, key(key)));
        assertThat(set.contains(term, key(key)))
            .isEqualTo(model.contains(new Entry(term, key(key))));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldBehaveLikeASortedSet(long seed) {
    Random random = new Random(seed);
    for (int phase = 0; phase < 8; phase++) {
      int addsOfTen = phase % 2 == 0 ? 8 : 1; // grows, then shrinks
      for (int i = 0; i < 8_000; i++) {
        long term = random.nextInt(4) - 1;
        byte[] key = key(random.nextInt(KEYS));
        if (random.nextInt(10) < addsOfTen) {
          set.add(term, key);
          model.add(new Entry(term, key));
        } else {
          set.remove(term, key);
          model.remove(new Entry(term, key));
        }
      }
      requireSameAsModel();
    }
  }

  @Test
  void shouldAcceptTheLowestAndHighestTerms() {
    set.add(Long.MIN_VALUE, new byte[0]);
    set.add(Long.MAX_VALUE, key(-1));

    assertThat(set.ceiling(Long.MIN_VALUE, new byte[0])).isEmpty();
    assertThat(set.ceiling(Long.MAX_VALUE, key(0))).isEqualTo(key(-1));
    assertThat(set.ceiling(0, key(0))).isNull();
  }

  @Test
  void shouldFillBlocksWhenKeysAscend() {
    for (int i = 0; i < 10 * TermKeySet.MAX_BLOCK; i++) {
      set.add(1, key(i));
    }

    assertThat(set.blocks()).isEqualTo(10);
  }

  @Test
  void shouldMergeBlocksWhenEntriesAreRemoved() {
    int count = 100 * TermKeySet.MAX_BLOCK;
    for (int i = 0; i < count; i++) {
      set.add(1, key(i));
    }
    for (int i = 0; i < count; i++) {
      if (i % TermKeySet.MAX_BLOCK != 0) {
        set.remove(1, key(i)); // leaves one entry of each block
      }
    }
    assertThat(set.blocks()).isLessThan(12);

    for (int i = 0; i < count; i++) {
      set.remove(1, key(i));
    }
    assertThat(set.blocks()).isEqualTo(1);
    assertThat(set.ceiling(1, key(0))).isNull();
  }

  /** Blocks split and merge all the time while another thread reads. */
  @Test
  void shouldFindEntriesThatStay() throws Exception {
    int distance = 40;
    for (int i = 0; i < KEYS; i += distance) {
      set.add(1, key(i));
    }
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Integer> reads =
        CompletableFuture.supplyAsync(
            () -> {
              Random random = new Random(1);
              int count = 0;
              do {
                int stays = random.nextInt(KEYS / distance) * distance;
                byte[] found = set.ceiling(1, key(Math.max(0, stays - random.nextInt(distance))));
                assertThat(found).isNotNull();
                assertThat(ByteBuffer.wrap(found).getInt()).isLessThanOrEqualTo(stays);
                count++;
              } while (!done.get());
              return count;
            });
    try {
      for (int round = 0; round < 300; round++) {
        for (int i = 0; i < KEYS; i++) {
          if (i % distance != 0) {
            set.add(1, key(i));
          }
        }
        for (int i = 0; i < KEYS; i++) {
          if (i % distance != 0) {
            set.remove(1, key(i));
          }
        }
      }
    } finally {
      done.set(true);
    }
    assertThat(reads.get()).isPositive();
  }
}
