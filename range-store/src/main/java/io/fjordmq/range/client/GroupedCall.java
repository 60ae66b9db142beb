package io.fjordmq.range.client;

import io.fjordmq.range.RangeClient.GroupAnswer;
import io.fjordmq.range.RangeClient.GroupEncoder;
import io.fjordmq.range.RangeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** One call of {@link io.fjordmq.range.RangeClient#mutateGrouped}: its keys and their answers. */
final class GroupedCall {
  private final List<byte[]> keys;
  private final GroupEncoder encoder;
  private final long deadlineMillis;
  private final CompletableFuture<List<GroupAnswer>> future = new CompletableFuture<>();

  /** Guarded by this. */
  private final List<GroupAnswer> answers = new ArrayList<>();

  private int unanswered;
  private boolean partlySent;

  GroupedCall(List<byte[]> keys, GroupEncoder encoder, long deadlineMillis) {
    this.keys = keys;
    this.encoder = encoder;
    this.deadlineMillis = deadlineMillis;
    this.unanswered = keys.size();
  }

  CompletableFuture<List<GroupAnswer>> future() {
    return future;
  }

  long deadlineMillis() {
    return deadlineMillis;
  }

  int[] allPositions() {
    int[] all = new int[keys.size()];
    Arrays.setAll(all, i -> i);
    return all;
  }

  /** Makes one command per range that holds any of the positions' keys. */
  List<PendingCommand.Routed> group(int[] positions, RangeRouteTable table) {
    RangeRoute[] routes = new RangeRoute[positions.length];
    boolean together = true;
    for (int i = 0; i < positions.length; i++) {
      routes[i] = table.find(keys.get(positions[i]));
      together &= routes[i] == routes[0];
    }
    if (together) {
      return List.of(part(routes[0], positions));
    }
    Map<RangeRoute, int[]> counts = new LinkedHashMap<>();
    for (RangeRoute rangeRoute : routes) {
      counts.computeIfAbsent(rangeRoute, first -> new int[1])[0]++;
    }
    List<PendingCommand.Routed> commands = new ArrayList<>(counts.size());
    counts.forEach(
        (rangeRoute, count) ->
            commands.add(part(rangeRoute, ofRoute(rangeRoute, routes, positions, count[0]))));
    return commands;
  }

  private static int[] ofRoute(
      RangeRoute rangeRoute, RangeRoute[] routes, int[] positions, int count) {
    int[] members = new int[count];
    int next = 0;
    for (int i = 0; i < positions.length; i++) {
      if (routes[i] == rangeRoute) {
        members[next++] = positions[i];
      }
    }
    return members;
  }

  private PendingCommand.Routed part(RangeRoute rangeRoute, int[] positions) {
    byte[] command = encoder.encode(positions);
    return new PendingCommand.Routed(rangeRoute, new PendingCommand.Part(this, positions, command));
  }

  /** From now on a refusal of another part can no longer mean that nothing was sent. */
  synchronized void partSent() {
    partlySent = true;
  }

  void answered(int[] positions, byte[] answer) {
    List<GroupAnswer> all;
    synchronized (this) {
      answers.add(new GroupAnswer(positions, answer));
      unanswered -= positions.length;
      if (unanswered > 0) {
        return;
      }
      all = List.copyOf(answers);
    }
    future.complete(all);
  }

  void failed(RangeException cause) {
    boolean overstated;
    synchronized (this) {
      overstated = cause.kind() == RangeException.Kind.BUSY && partlySent;
    }
    future.completeExceptionally(
        overstated
            ? new RangeException(
                RangeException.Kind.UNAVAILABLE,
                "some of the ranges took their part, others did not: " + cause.getMessage(),
                cause)
            : cause);
  }
}
