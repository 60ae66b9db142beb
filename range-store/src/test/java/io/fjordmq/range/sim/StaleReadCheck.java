package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.testing.Simulation;
import java.util.List;
import java.util.Set;

/**
 * Writes a word through a new leader, then reads through the old one, which may not have noticed
 * that it was replaced: if it responds, the response must contain the word.
 */
final class StaleReadCheck {
  private final Simulation simulation;
  private final WordHistory history;
  private final RangeId range;
  private final String key;
  private final String word;
  private final SimCounts counts;
  private boolean done;

  StaleReadCheck(
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

  /** Only the first call has an effect. */
  void run(StoreNode next, StoreNode old) {
    if (done) {
      return;
    }
    done = true;
    RangeTransport there = next.store().transport();
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
                response -> simulation.schedule(0, () -> onWritten(response, old)));
          }
        });
  }

  private void onWritten(RangeResult result, StoreNode old) {
    if (result instanceof RangeResult.Applied applied && old.isUp()) {
      history.check(() -> history.acknowledged(key, word, text(applied.responses().get(0))));
      Set<String> mustHave = history.acknowledged(key);
      old.store()
          .transport()
          .query(
              old.id(),
              range,
              1,
              0,
              key.getBytes(UTF_8),
              response -> history.check(() -> assertNotStale(response, mustHave)));
    }
  }

  private void assertNotStale(RangeResult response, Set<String> mustHave) {
    counts.staleReadChecks++;
    if (response instanceof RangeResult.Success success) {
      assertThat(WordHistory.split(text(success.response())))
          .as("a replaced leader must read every acknowledged word at %s", key)
          .containsAll(mustHave);
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
