package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.peer.proto.ClientMessage;
import io.fjordmq.cluster.peer.proto.Opening;
import io.fjordmq.cluster.peer.proto.Request;
import io.fjordmq.cluster.peer.proto.ServerMessage;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server side of a connection from another node. Passes requests to their handlers one at a
 * time, and sends the responses as they complete.
 */
final class ServerStream implements StreamObserver<ClientMessage> {
  private static final Logger LOG = LoggerFactory.getLogger(ServerStream.class);

  private final PeerServer server;
  private final ServerCallStreamObserver<ServerMessage> stream;
  private final SendQueue<ServerMessage> queue;
  private final int maxMessageBytes;
  private @Nullable NodeId peer;
  private volatile StartStamp start = StartStamp.NONE;
  private boolean retired;

  /** Services for which an unreadable request has already been logged; each is logged only once. */
  private final Set<String> unreadable = new HashSet<>();

  ServerStream(
      PeerServer server, ServerCallStreamObserver<ServerMessage> stream, PeerSettings settings) {
    this.server = server;
    this.stream = stream;
    this.queue = new SendQueue<>(stream, settings.maxQueuedBytes());
    this.maxMessageBytes = settings.maxMessageBytes();
    stream.setOnReadyHandler(queue::drain);
    stream.setOnCancelHandler(this::retire);
  }

  @Override
  public void onNext(ClientMessage message) {
    NodeId from = peer;
    switch (message.getKindCase()) {
      case OPENING -> open(message.getOpening());
      case REQUEST -> {
        if (from == null) {
          refuse("protocol error: the first message must open the stream");
        } else if (!server.fence().accepts(from, start)) {
          refuse(
              "node "
                  + from
                  + " has restarted since it opened this connection, or this node is fenced");
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
      StartStamp presented = PeerProtocol.decode(opening.getStart());
      StartFence.Refusal refusal = server.fence().admit(from, presented);
      if (refusal != null) {
        refuse(refusal);
        return;
      }
      start = presented;
      peer = from;
      server.replace(from, this);
    } catch (IllegalArgumentException e) {
      refuse(String.valueOf(e.getMessage()));
      return;
    }
    queue.begin(PeerProtocol.accepted(version, server.fence().ownStart()));
    queue.open();
  }

  private void refuse(StartFence.Refusal refusal) {
    if (queue.close()) {
      LOG.warn("Refused a connection from another node: {}", refusal.reason());
      stream.onError(PeerRefusals.encode(refusal));
    }
  }

  /** Ends the stream with a reason that the other node logs. */
  private void refuse(String reason) {
    if (queue.close()) {
      LOG.debug("Refused a connection: {}", reason);
      stream.onError(Status.FAILED_PRECONDITION.withDescription(reason).asRuntimeException());
    }
  }

  /**
   * Handles one request. Requests are handled one at a time, and none after a later connection of
   * the same node has replaced this one.
   */
  private synchronized void handle(NodeId from, Request request) {
    if (!retired) {
      long call = request.getCall();
      dispatch(from, request).whenComplete((body, failure) -> send(call, body, failure));
    }
  }

  private CompletableFuture<byte[]> dispatch(NodeId from, Request request) {
    PeerServices.Handler handler = server.handler(request.getService());
    if (handler == null) {
      String reason = "node " + server.self() + " does not serve '" + request.getService() + "'";
      return CompletableFuture.failedFuture(new IllegalStateException(reason));
    }
    try {
      return handler.handle(from, request.getBody().toByteArray());
    } catch (MalformedBytesException e) {
      if (unreadable.add(request.getService())) {
        LOG.warn(
            "Rejecting requests from another node: {} node={} service={}",
            e.getMessage(),
            from,
            request.getService());
      }
      return CompletableFuture.failedFuture(e);
    } catch (RuntimeException e) {
      LOG.warn(
          "Failed to handle a request from another node service={} node={}",
          request.getService(),
          from,
          e);
      return CompletableFuture.failedFuture(e);
    }
  }

  private void send(long call, byte @Nullable [] body, @Nullable Throwable failure) {
    ServerMessage message;
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
      message = PeerProtocol.response(call, body);
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
    if (failure == null) {
      return "no response";
    }
    Throwable cause = OperationException.unwrap(failure);
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  /**
   * Called when another connection from the node replaces this one. Once it returns, no more
   * requests are handled.
   */
  void onReplaced() {
    retire();
    refuse("replaced by a later connection of the same node");
  }

  private synchronized void retire() {
    boolean wasRetired = retired;
    retired = true;
    NodeId from = peer;
    if (from != null && !wasRetired) {
      server.fence().release(from, start);
      server.onStreamClosed(from, this);
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
