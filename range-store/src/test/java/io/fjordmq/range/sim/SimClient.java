package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.testing.RecordBuilder;
import io.fjordmq.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A client that appends words to random keys and reads them, and records the responses. */
final class SimClient {
  static final Duration REGISTER_AGAIN_AFTER = Duration.ofMillis(400);

  private static final RangeClientSettings SETTINGS =
      RecordBuilder.from(RangeSimSettings.CLIENT)
          .with(RangeClientSettings::maxBatchBytes, 200)
          .with(RangeClientSettings::maxBatchResponseBytes, 60)
          .with(RangeClientSettings::maxQueuedBytes, 2000)
          .with(RangeClientSettings::deadline, Duration.ofMillis(2500))
          .with(RangeClientSettings::reregisterAfter, REGISTER_AGAIN_AFTER)
          .build();

  private final SimCluster cluster;
  private final NodeId node;
  private final String name;
  private final List<String> keys;
  private final WordHistory history;
  private final SimProcess process;
  private final RoutedRangeClient client;
  private int words;
  private int pendingCalls;
  private boolean stopped;
  private int acknowledgements;
  private int failures;

  /**
   * @param name different in each incarnation of the client
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
            SimTimers.of(process),
            SETTINGS,
            observer);
    sendNextCommands();
  }

  private void sendNextCommands() {
    if (stopped) {
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
    process.schedule(simulation.between(0, 50), this::sendNextCommands);
  }

  private String randomKey() {
    return keys.get((int) cluster.simulation().between(0, keys.size() - 1));
  }

  private void append() {
    String key = randomKey();
    String word = WordHistory.word(name, ++words);
    pendingCalls++;
    client
        .mutate(bytes(key), bytes(key + ":" + word))
        .whenComplete(
            (response, error) ->
                history.check(
                    () -> {
                      if (recordOutcome(error, word)) {
                        onResponse(key, word, text(response));
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
    pendingCalls++;
    client
        .mutateGrouped(
            chosen.stream().map(SimClient::bytes).toList(),
            positions -> bytes(String.join(",", select(chosen, positions)) + ":" + word))
        .whenComplete(
            (responses, error) ->
                history.check(
                    () -> {
                      if (recordOutcome(error, word)) {
                        onResponses(chosen, word, responses);
                      }
                    }));
  }

  private static List<String> select(List<String> chosen, int[] positions) {
    List<String> part = new ArrayList<>();
    for (int position : positions) {
      part.add(chosen.get(position));
    }
    return part;
  }

  private void onResponses(
      List<String> chosen, String word, List<RangeClient.GroupResponse> responses) {
    Set<Integer> responded = new HashSet<>();
    for (RangeClient.GroupResponse response : responses) {
      String[] values = text(response.response()).split("\\|");
      for (int i = 0; i < values.length; i++) {
        responded.add(response.positions()[i]);
        onResponse(chosen.get(response.positions()[i]), word, values[i]);
      }
    }
    assertThat(responded).hasSize(chosen.size());
  }

  private void onResponse(String key, String word, String value) {
    acknowledgements++;
    history.acknowledged(key, word, value);
  }

  private void read() {
    String key = randomKey();
    Set<String> mustHave = history.acknowledged(key);
    pendingCalls++;
    CompletableFuture<byte[]> response = client.query(bytes(key), bytes(key));
    response.whenComplete(
        (value, error) ->
            history.check(
                () -> {
                  if (recordOutcome(error, "a read")) {
                    history.onRead(key, text(value));
                    assertThat(WordHistory.split(text(value)))
                        .as("%s must read every acknowledged word at %s", name, key)
                        .containsAll(mustHave);
                  }
                }));
  }

  /** Counts the end of a call; returns false if there is no response. */
  private boolean recordOutcome(@Nullable Throwable error, String what) {
    pendingCalls--;
    if (error == null) {
      return true;
    }
    if (((RangeException) error).kind() == RangeException.Kind.BUSY) {
      history.onRejected(what);
    } else if (!isPartlyBusy(error)) {
      failures++;
    }
    return false;
  }

  /** Whether some parts of a grouped command were sent before another part was rejected. */
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

  /** Passes the current ranges to the client. */
  void updateRanges(List<RangeDescriptor> now) {
    client.update(now);
  }

  /** Stops sending new commands. */
  void stopSending() {
    stopped = true;
  }

  /** Resumes sending. */
  void resumeSending() {
    stopped = false;
    sendNextCommands();
  }

  /** Sends a last command, which must succeed once the disturbances have ended. */
  void sendLastCommand() {
    append();
  }

  int pendingCalls() {
    return pendingCalls;
  }

  int acknowledgements() {
    return acknowledgements;
  }

  /** Number of calls that failed although the queue had capacity for them. */
  int failures() {
    return failures;
  }

  /** Crashes and loses all its state. */
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
