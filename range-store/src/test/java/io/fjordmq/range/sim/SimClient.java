package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A client that appends words to random keys and reads them, and remembers what it was told. */
final class SimClient {
  static final Duration REGISTER_AGAIN_AFTER = Duration.ofMillis(400);

  private static final RangeClientSettings SETTINGS =
      new RangeClientSettings(
          1000,
          200,
          6,
          60,
          Duration.ofMillis(4),
          3,
          30,
          2000,
          8,
          Duration.ofMillis(2500),
          Duration.ofMillis(200),
          Duration.ofMillis(5),
          Duration.ofMillis(100),
          REGISTER_AGAIN_AFTER);

  private final SimCluster cluster;
  private final NodeId node;
  private final String name;
  private final List<String> keys;
  private final WordHistory history;
  private final SimProcess process;
  private final RoutedRangeClient client;
  private int words;
  private int waiting;
  private boolean resting;
  private int acknowledgements;
  private int failures;

  /**
   * @param name different in every life of the client
   */
  SimClient(
      SimCluster cluster,
      NodeId node,
      String name,
      List<String> keys,
      List<RangeDescriptor> ranges,
      WordHistory history,
      RangeObserver observer,
      SimTransport.Factory transport) {
    this.cluster = cluster;
    this.node = node;
    this.name = name;
    this.keys = keys;
    this.history = history;
    this.process = cluster.start(node).process();
    this.client =
        new RoutedRangeClient(
            "words",
            ranges,
            transport.create(cluster, node),
            SimNode.timers(process),
            SETTINGS,
            observer);
    next();
  }

  private void next() {
    if (resting) {
      return;
    }
    Simulation simulation = cluster.simulation();
    for (long burst = simulation.between(1, 4); burst > 0; burst--) {
      long kind = simulation.between(1, 10);
      if (kind <= 6) {
        append();
      } else if (kind <= 8) {
        appendToMany();
      } else {
        read();
      }
    }
    process.schedule(simulation.between(0, 50), this::next);
  }

  private String randomKey() {
    return keys.get((int) cluster.simulation().between(0, keys.size() - 1));
  }

  private void append() {
    String key = randomKey();
    String word = WordHistory.word(name, ++words);
    waiting++;
    client
        .mutate(bytes(key), bytes(key + ":" + word))
        .whenComplete(
            (answer, error) ->
                history.check(
                    () -> {
                      if (settled(error, word)) {
                        told(key, word, text(answer));
                      }
                    }));
  }

  private void appendToMany() {
    List<String> chosen =
        keys.stream().filter(key -> cluster.simulation().chance(40)).distinct().toList();
    if (chosen.isEmpty()) {
      return;
    }
    String word = WordHistory.word(name, ++words);
    waiting++;
    client
        .mutateGrouped(
            chosen.stream().map(SimClient::bytes).toList(),
            positions -> bytes(String.join(",", at(chosen, positions)) + ":" + word))
        .whenComplete(
            (answers, error) ->
                history.check(
                    () -> {
                      if (settled(error, word)) {
                        toldAll(chosen, word, answers);
                      }
                    }));
  }

  private static List<String> at(List<String> chosen, int[] positions) {
    List<String> part = new ArrayList<>();
    for (int position : positions) {
      part.add(chosen.get(position));
    }
    return part;
  }

  private void toldAll(List<String> chosen, String word, List<RangeClient.GroupAnswer> answers) {
    Set<Integer> answered = new HashSet<>();
    for (RangeClient.GroupAnswer answer : answers) {
      String[] values = text(answer.answer()).split("\\|");
      for (int i = 0; i < values.length; i++) {
        answered.add(answer.positions()[i]);
        told(chosen.get(answer.positions()[i]), word, values[i]);
      }
    }
    assertThat(answered).hasSize(chosen.size());
  }

  private void told(String key, String word, String value) {
    acknowledgements++;
    history.acknowledged(key, word, value);
  }

  private void read() {
    String key = randomKey();
    Set<String> mustHave = history.acknowledged(key);
    waiting++;
    CompletableFuture<byte[]> answer = client.query(bytes(key), bytes(key));
    answer.whenComplete(
        (value, error) ->
            history.check(
                () -> {
                  if (settled(error, "a read")) {
                    history.clientSaw(key, text(value));
                    assertThat(WordHistory.split(text(value)))
                        .as("%s reads all that was acknowledged at %s", name, key)
                        .containsAll(mustHave);
                  }
                }));
  }

  /** Counts the end of a call; false if there is no answer. */
  private boolean settled(@Nullable Throwable error, String what) {
    waiting--;
    if (error == null) {
      return true;
    }
    if (((RangeException) error).kind() == RangeException.Kind.BUSY) {
      history.refused(what);
    } else if (!isPartlyBusy(error)) {
      failures++;
    }
    return false;
  }

  /** Some parts of a grouped command were sent when another was refused. */
  private static boolean isPartlyBusy(Throwable error) {
    return error.getCause() instanceof RangeException refusal
        && refusal.kind() == RangeException.Kind.BUSY;
  }

  NodeId node() {
    return node;
  }

  SimProcess process() {
    return process;
  }

  /** It hears where the ranges are now. */
  void update(List<RangeDescriptor> now) {
    client.update(now);
  }

  /** Sends nothing new. */
  void rest() {
    resting = true;
  }

  /** Goes on. */
  void wake() {
    resting = false;
    next();
  }

  /** One last command, which in times of peace must be answered. */
  void lastWord() {
    append();
  }

  int waiting() {
    return waiting;
  }

  int acknowledgements() {
    return acknowledgements;
  }

  /** Calls that were not answered although there was room for them. */
  int failures() {
    return failures;
  }

  /** Dies with everything it knew. */
  void crash() {
    cluster.crash(node);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
