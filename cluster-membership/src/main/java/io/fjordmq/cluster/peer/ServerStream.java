package io.fjordmq.cluster.peer;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.peer.proto.AnswererMessage;
import io.fjordmq.cluster.peer.proto.AskerMessage;
import io.fjordmq.cluster.peer.proto.Opening;
import io.fjordmq.cluster.peer.proto.Request;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server side of a connection from another node. Passes requests to their handlers one at a
 * time, and sends the responses as they complete.
 */
final class ServerStream implements StreamObserver<AskerMessage> {
  private static final Logger LOG = LoggerFactory.getLogger(ServerStream.class);

  private final PeerServer server;
  private final ServerCallStreamObserver<AnswererMessage> stream;
  private final SendQueue<AnswererMessage> queue;
  private final int maxMessageBytes;
  private @Nullable NodeId peer;
  private volatile StartStamp start = StartStamp.NONE;
  private boolean retired;

  /** Services for which an unreadable request has been logged; once for each. */
  private final Set<String> unreadable = new HashSet<>();

  ServerStream(
      PeerServer server, ServerCallStreamObserver<AnswererMessage> stream, PeerSettings settings) {
    this.server = server;
    this.stream = stream;
    this.queue = new SendQueue<>(stream, settings.maxQueuedBytes());
    this.maxMessageBytes = settings.maxMessageBytes();
    stream.setOnReadyHandler(queue::drain);
    stream.setOnCancelHandler(this::retire);
  }

  @Override
  public void onNext(AskerMessage message) {
    NodeId from = peer;
    switch (message.getKindCase()) {
      case OPENING -> open(message.getOpening());
      case REQUEST -> {
        if (from == null) {
          refuse("protocol error: the first message must be an opening");
        } else if (!server.fence().accepts(from, start)) {
          refuse("a later start of node " + from + " is known, or this node is fenced");
        } else {
          handle(from, message.getRequest());
        }
      }
      case PING -> queue.offerFirst(PeerProtocol.PONG);
      case KIND_NOT_SET -> refuse("message of an unknown kind; upgrade node " + server.self());
    }
  }

  private void open(Opening opening) {
    int version;
    try {
      NodeId from = new NodeId(opening.getFrom());
      version = server.checkOpening(opening, from);
      StartStamp shown = PeerProtocol.decode(opening.getStart());
      StartFence.Refusal refusal = server.fence().enter(from, shown);
      if (refusal != null) {
        refuse(refusal);
        return;
      }
      start = shown;
      peer = from;
      server.replace(from, this);
    } catch (IllegalArgumentException e) {
      refuse(String.valueOf(e.getMessage()));
      return;
    }
    queue.begin(PeerProtocol.accepted(version, server.fence().own()));
    queue.open();
  }

  private void refuse(StartFence.Refusal refusal) {
    if (queue.close()) {
      LOG.warn("Refused the connection of another node: {}", refusal.why());
      stream.onError(PeerRefusals.encode(refusal));
    }
  }

  /** Ends the stream with a reason that the other node logs. */
  private void refuse(String why) {
    if (queue.close()) {
      LOG.debug("Refused a connection: {}", why);
      stream.onError(Status.FAILED_PRECONDITION.withDescription(why).asRuntimeException());
    }
  }

  /**
   * Handles one request at a time, and none after a later connection of the same node has replaced
   * this one.
   */
  private synchronized void handle(NodeId from, Request request) {
    if (!retired) {
      long call = request.getCall();
      answer(from, request).whenComplete((body, failure) -> send(call, body, failure));
    }
  }

  private CompletableFuture<byte[]> answer(NodeId from, Request request) {
    PeerServices.Handler handler = server.handler(request.getService());
    if (handler == null) {
      String why = "node " + server.self() + " does not serve '" + request.getService() + "'";
      return CompletableFuture.failedFuture(new IllegalStateException(why));
    }
    try {
      return handler.handle(from, request.getBody().toByteArray());
    } catch (MalformedBytesException e) {
      if (unreadable.add(request.getService())) {
        LOG.warn(
            "Rejecting requests of another node: {} node={} service={}",
            e.getMessage(),
            from,
            request.getService());
      }
      return CompletableFuture.failedFuture(e);
    } catch (RuntimeException e) {
      LOG.warn(
          "Failed to handle a request of another node service={} node={}",
          request.getService(),
          from,
          e);
      return CompletableFuture.failedFuture(e);
    }
  }

  private void send(long call, byte @Nullable [] body, @Nullable Throwable failure) {
    AnswererMessage message;
    int bytes = PeerProtocol.OVERHEAD_BYTES;
    if (body == null) {
      message = PeerProtocol.refusal(call, reason(failure));
    } else if (body.length > maxMessageBytes) {
      message =
          PeerProtocol.refusal(
              call,
              "the response of %d bytes exceeds the limit of %d"
                  .formatted(body.length, maxMessageBytes));
    } else {
      message = PeerProtocol.answer(call, body);
      bytes += body.length;
    }
    if (!queue.offer(message, bytes, () -> {}) && queue.close()) {
      LOG.warn("Closing a connection: the peer does not read its responses node={}", peer);
      stream.onError(
          Status.RESOURCE_EXHAUSTED
              .withDescription("too many unread responses are queued")
              .asRuntimeException());
    }
  }

  private static String reason(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause == null) {
      return "no response";
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  /**
   * Called when another connection of the node replaces this one. Once it returns, no more requests
   * are handled.
   */
  void replaced() {
    retire();
    refuse("replaced by a later connection of the same node");
  }

  private synchronized void retire() {
    boolean before = retired;
    retired = true;
    NodeId from = peer;
    if (from != null && !before) {
      server.fence().leave(from, start);
      server.gone(from, this);
    }
  }

  @Override
  public void onError(Throwable failure) {
    retire();
    queue.close();
  }

  @Override
  public void onCompleted() {
    retire();
    if (queue.close()) {
      stream.onCompleted();
    }
  }
}
