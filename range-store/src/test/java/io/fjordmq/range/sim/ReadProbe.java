package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.store.RangeStore;
import java.util.List;
import java.util.Set;

/**
 * Writes a word at a new leader, then reads at the old one, which may not have noticed: what it
 * answers, if it does, must not lack the word.
 */
final class ReadProbe {
  private final Simulation simulation;
  private final WordHistory history;
  private final RangeId range;
  private final String key;
  private final String word;
  private final SimCounts counts;
  private boolean gone;

  ReadProbe(
      Simulation simulation,
      WordHistory history,
      RangeId range,
      String key,
      int number,
      SimCounts counts) {
    this.simulation = simulation;
    this.history = history;
    this.range = range;
    this.key = key;
    this.word = WordHistory.word("probe" + number, 1);
    this.counts = counts;
  }

  /** Only the first time counts. */
  void go(StoreNode next, StoreNode old) {
    if (gone) {
      return;
    }
    gone = true;
    RangeStore there = next.store();
    there.propose(
        next.id(),
        range,
        RangeEntry.encodeRegister(),
        result -> {
          if (result instanceof RangeResult.Registered registered) {
            byte[] command = (key + ":" + word).getBytes(UTF_8);
            there.propose(
                next.id(),
                range,
                RangeEntry.encodeMutations(1, registered.sender(), 1, 1_000, List.of(command)),
                answer -> simulation.schedule(0, () -> written(answer, old)));
          }
        });
  }

  private void written(RangeResult result, StoreNode old) {
    if (result instanceof RangeResult.Applied applied && old.isUp()) {
      history.check(() -> history.acknowledged(key, word, text(applied.answers().get(0))));
      Set<String> mustHave = history.acknowledged(key);
      old.store()
          .query(
              old.id(),
              range,
              1,
              0,
              key.getBytes(UTF_8),
              answer -> history.check(() -> assertNotStale(answer, mustHave)));
    }
  }

  private void assertNotStale(RangeResult answer, Set<String> mustHave) {
    counts.probes++;
    if (answer instanceof RangeResult.Answered answered) {
      assertThat(WordHistory.split(text(answered.answer())))
          .as("a leader that was replaced reads all that was acknowledged at %s", key)
          .containsAll(mustHave);
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
