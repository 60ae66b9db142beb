package io.fjordmq.range.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.GroupId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The reference history of a run: the words of every key in the order in which they were appended,
 * reconstructed from all replicas. Values only grow, so every value that any replica or client sees
 * must be a prefix of the key's history.
 */
final class WordHistory {
  private final Map<String, String> histories = new HashMap<>();
  private final Map<String, Set<String>> words = new HashMap<>();
  private final Map<String, Integer> lastNumberOfClient = new HashMap<>();
  private final Map<String, Set<String>> acknowledged = new HashMap<>();
  private final Set<String> rejected = new HashSet<>();
  private final Map<String, Long> digests = new HashMap<>();
  private @Nullable Throwable violation;

  /**
   * Runs a check in a place that would swallow its exception; {@link #assertNoViolation} throws it
   * later.
   */
  void check(Runnable check) {
    try {
      check.run();
    } catch (AssertionError | RuntimeException e) {
      violation = violation == null ? e : violation;
    }
  }

  void assertNoViolation() {
    if (violation != null) {
      throw new AssertionError(violation.getMessage(), violation);
    }
  }

  /** A word is {@code client.number}. */
  static String word(String client, int number) {
    return client + "." + number;
  }

  static List<String> split(String value) {
    return value.isEmpty() ? List.of() : Arrays.asList(value.split(" "));
  }

  /** Checks a value that a replica holds. */
  void onReplicaValue(String key, String value) {
    String history = histories.getOrDefault(key, "");
    if (isPrefix(value, history)) {
      return;
    }
    assertThat(isPrefix(history, value))
        .as("a replica has [%s] at %s, others have [%s]", value, key, history)
        .isTrue();
    split(value.substring(history.length()).trim()).forEach(word -> onAppended(key, word));
    histories.put(key, value);
  }

  private void onAppended(String key, String word) {
    assertThat(words.computeIfAbsent(key, k -> new HashSet<>()).add(word))
        .as("%s was applied to %s at most once", word, key)
        .isTrue();
    assertThat(rejected.contains(word)).as("%s was rejected", word).isFalse();
    String client = word.substring(0, word.indexOf('.'));
    int number = Integer.parseInt(word.substring(word.indexOf('.') + 1));
    Integer before = lastNumberOfClient.put(client + "/" + key, number);
    assertThat(before == null || before < number)
        .as("%s comes after %s.%s at %s", word, client, before, key)
        .isTrue();
  }

  /** Whether the first value, by whole words, is a prefix of the second. */
  private static boolean isPrefix(String one, String other) {
    return other.startsWith(one)
        && (one.isEmpty() || one.length() == other.length() || other.charAt(one.length()) == ' ');
  }

  /** Records a response: the word of the client was applied and resulted in this value. */
  void acknowledged(String key, String word, String value) {
    onRead(key, value);
    assertThat(value.equals(word) || value.endsWith(" " + word))
        .as("the response to %s ends with it: %s", word, value)
        .isTrue();
    acknowledged.computeIfAbsent(key, k -> new HashSet<>()).add(word);
  }

  /** The acknowledged words of a key: a read that starts now must return all of them. */
  Set<String> acknowledged(String key) {
    return Set.copyOf(acknowledged.getOrDefault(key, Set.of()));
  }

  /** Checks a value that a client read. */
  void onRead(String key, String value) {
    String history = histories.getOrDefault(key, "");
    assertThat(isPrefix(value, history))
        .as("a client saw [%s] at %s, replicas had at most [%s]", value, key, history)
        .isTrue();
  }

  /** Records that the client reported this word as not sent. */
  void onRejected(String word) {
    rejected.add(word);
    assertThat(words.values().stream().anyMatch(applied -> applied.contains(word)))
        .as("%s was rejected but applied", word)
        .isFalse();
  }

  /** Checks that all replicas have the same rows at the same index. */
  void checkDigest(GroupId group, long index, long digest) {
    Long other = digests.putIfAbsent(group + "@" + index, digest);
    assertThat(other == null || other == digest)
        .as("replicas of %s have the same state at index %s", group, index)
        .isTrue();
  }
}
