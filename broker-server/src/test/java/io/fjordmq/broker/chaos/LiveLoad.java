package io.fjordmq.broker.chaos;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The clients without persistent sessions: a {@link LiveListener} and a {@link LiveProbe} at each
 * node.
 */
final class LiveLoad {
  private final List<LiveListener> listeners;
  private final List<LiveClient> publishers;
  private final List<LiveProbe> probes;
  private final SubscribeTimes times = new SubscribeTimes();

  LiveLoad(int nodes, History history) {
    List<Integer> numbers = IntStream.rangeClosed(1, nodes).boxed().toList();
    this.listeners =
        numbers.stream().map(node -> new LiveListener("live" + node, node, history)).toList();
    this.publishers =
        numbers.stream()
            .map(node -> new LiveClient("prober" + node, node, history, () -> {}, publish -> {}))
            .toList();
    this.probes =
        numbers.stream()
            .map(node -> new LiveProbe(node, publishersExcept(node), history, times))
            .toList();
  }

  private List<LiveClient> publishersExcept(int node) {
    return IntStream.range(0, publishers.size())
        .filter(index -> index != node - 1)
        .mapToObj(publishers::get)
        .toList();
  }

  void start() {
    listeners.forEach(LiveListener::start);
    publishers.forEach(LiveClient::start);
    probes.forEach(LiveProbe::start);
  }

  /** Sets the fault being injected from now on. */
  void setFault(Fault fault) {
    times.setFault(fault.kind());
  }

  Set<String> listeners() {
    return listeners.stream().map(LiveListener::name).collect(Collectors.toSet());
  }

  /** Whether every expected message of this publisher has arrived. */
  boolean hasAll(ChaosPublisher publisher) {
    return listeners.stream()
        .allMatch(each -> each.hasAll(publisher.name(), publisher.highestAcknowledged()));
  }

  /** Stops the load; the probes complete what they have started. */
  void finish() {
    probes.forEach(LiveProbe::close);
    listeners.forEach(LiveListener::close);
    publishers.forEach(LiveClient::close);
  }

  /** The latencies of SUBSCRIBE as lines of text. */
  String latencyReport() {
    return times.latencyReport();
  }
}
