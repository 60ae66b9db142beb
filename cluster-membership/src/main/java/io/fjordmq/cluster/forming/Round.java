package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.peer.Hello;
import io.fjordmq.cluster.peer.HelloClient;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.common.OperationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The responses of the processes behind some addresses.
 *
 * @param replies one for each address
 * @param sentMillis the wall clock when they were contacted
 */
record Round(List<Reply> replies, long sentMillis) {
  Round {
    replies = List.copyOf(replies);
  }

  /**
   * One address: a node of a cluster, a waiting node, or neither.
   *
   * @param member the reply of a node of a cluster, or null
   * @param waiting the reply of a waiting node, or null
   * @param failure why there is no reply, or null
   */
  record Reply(
      NodeAddress address,
      @Nullable HelloReply member,
      @Nullable WaitingNode waiting,
      @Nullable String failure) {}

  /**
   * Contacts all addresses.
   *
   * @return completes when all have responded or failed; never fails
   */
  static CompletableFuture<Round> contact(
      Collection<NodeAddress> addresses,
      FormationRequest introduction,
      HelloClient hellos,
      WaitingCalls calls,
      Duration timeout,
      long nowMillis) {
    List<CompletableFuture<Reply>> pending = new ArrayList<>();
    for (NodeAddress address : addresses) {
      CompletableFuture<HelloReply> member = hellos.sendHello(address, Hello.ANONYMOUS, timeout);
      CompletableFuture<WaitingNode> waiting = calls.ask(address, introduction, timeout);
      pending.add(
          member
              .handle(
                  (reply, failure) ->
                      new Reply(address, reply, null, failure == null ? null : text(failure)))
              .thenCombine(
                  waiting.handle((node, failure) -> reply(address, node, failure)),
                  Round::combine));
    }
    return CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> new Round(pending.stream().map(CompletableFuture::join).toList(), nowMillis));
  }

  /** Only a refusal says more than the failure of the hello, which every node serves. */
  private static Reply reply(
      NodeAddress address, @Nullable WaitingNode node, @Nullable Throwable failure) {
    String refusal =
        failure != null && OperationException.isAny(failure, PeerException.Kind.REFUSED)
            ? text(failure)
            : null;
    return new Reply(address, null, node, refusal);
  }

  private static Reply combine(Reply member, Reply waiting) {
    boolean found = member.member != null || waiting.waiting != null;
    String failure = waiting.failure != null ? waiting.failure : member.failure;
    return new Reply(member.address, member.member, waiting.waiting, found ? null : failure);
  }

  private static String text(Throwable failure) {
    return String.valueOf(OperationException.unwrap(failure).getMessage());
  }

  /** Returns the replies of nodes of clusters. */
  List<HelloReply> members() {
    List<HelloReply> members = new ArrayList<>();
    for (Reply reply : replies) {
      HelloReply member = reply.member;
      if (member != null) {
        members.add(member);
      }
    }
    return members;
  }
}
