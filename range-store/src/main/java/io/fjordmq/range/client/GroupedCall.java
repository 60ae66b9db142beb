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

/** A call of {@link io.fjordmq.range.RangeClient#mutateGrouped}: its keys and their answers. */
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

  /** Makes one command for each range that holds a key of these positions. */
  List<PendingCommand.Routed> group(int[] positions, RangeRouteTable table) {
    RangeRoute[] routes = new RangeRoute[positions.length];
    boolean sameRange = true;
    for (int i = 0; i < positions.length; i++) {
      routes[i] = table.find(keys.get(positions[i]));
      sameRange &= routes[i] == routes[0];
    }
    if (sameRange) {
      return List.of(part(routes[0], positions));
    }
    Map<RangeRoute, int[]> counts = new LinkedHashMap<>();
    for (RangeRoute route : routes) {
      counts.computeIfAbsent(route, first -> new int[1])[0]++;
    }
    List<PendingCommand.Routed> commands = new ArrayList<>(counts.size());
    counts.forEach(
        (route, count) -> commands.add(part(route, ofRoute(route, routes, positions, count[0]))));
    return commands;
  }

  private static int[] ofRoute(RangeRoute route, RangeRoute[] routes, int[] positions, int count) {
    int[] members = new int[count];
    int next = 0;
    for (int i = 0; i < positions.length; i++) {
      if (routes[i] == route) {
        members[next++] = positions[i];
      }
    }
    return members;
  }

  private PendingCommand.Routed part(RangeRoute route, int[] positions) {
    byte[] command = encoder.encode(positions);
    return new PendingCommand.Routed(route, new PendingCommand.Part(this, positions, command));
  }

  /** A part was sent, so rejecting another part no longer means that nothing was sent. */
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
    boolean sentPartly;
    synchronized (this) {
      sentPartly = cause.kind() == RangeException.Kind.BUSY && partlySent;
    }
    future.completeExceptionally(
        sentPartly
            ? new RangeException(
                RangeException.Kind.UNAVAILABLE,
                "command was sent to some of its ranges but not to all: " + cause.getMessage(),
                cause)
            : cause);
  }
}
