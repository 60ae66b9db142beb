package io.fjordmq.broker.http;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket connection that carries MQTT: the payloads of binary frames form a byte stream
 * (MQTT-6.0.0-2). A frame is read only after the broker has demanded it. Thread-safe.
 */
final class MqttFrames implements FrameHandler, MqttClients.Client {
  /** How long the client may take to confirm that the connection is closed. */
  private static final long CLOSE_MILLIS = 2_000;

  private final Function<MqttClients.Client, MqttClients.Connection> opener;
  private final Scheduler scheduler;
  private volatile @Nullable CoreSession session;
  private volatile MqttClients.@Nullable Connection connection;
  private volatile boolean closing;
  private volatile boolean closed;

  /**
   * @param opener begins to serve the client
   */
  MqttFrames(Function<MqttClients.Client, MqttClients.Connection> opener, Scheduler scheduler) {
    this.opener = opener;
    this.scheduler = scheduler;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void onOpen(CoreSession opened, Callback callback) {
    session = opened;
    callback.succeeded(); // the session must be open before anything is demanded
    try {
      connection = opener.apply(this);
    } catch (RuntimeException e) { // the node is stopping
      close(CloseStatus.SHUTDOWN, "the node does not accept clients");
    }
  }

  @Override
  public void onFrame(Frame frame, Callback callback) {
    MqttClients.Connection open = closing ? null : connection;
    switch (frame.getOpCode()) {
      case OpCode.BINARY, OpCode.CONTINUATION -> {
        if (open != null && frame.hasPayload()) {
          open.receive(frame.getPayload());
          callback.succeeded();
        } else {
          callback.succeeded();
          demand();
        }
      }
      case OpCode.PING -> {
        Frame pong = new Frame(OpCode.PONG, copy(frame.getPayload()));
        callback.succeeded();
        // Nothing else is read until the pong has been sent, so a client cannot queue pongs.
        sendFrame(pong, this::demand);
      }
      case OpCode.PONG -> {
        callback.succeeded();
        demand();
      }
      case OpCode.TEXT -> {
        callback.succeeded();
        close(CloseStatus.BAD_DATA, "received a text frame; MQTT requires binary frames");
        demand();
      }
      default -> callback.succeeded(); // Jetty confirms a close
    }
  }

  private static ByteBuffer copy(@Nullable ByteBuffer bytes) {
    return bytes == null
        ? ByteBuffer.allocate(0)
        : ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
  }

  @Override
  public void onError(Throwable cause, Callback callback) {
    callback.succeeded(); // onClosed follows
  }

  @Override
  public void onClosed(CloseStatus status, Callback callback) {
    onClosed();
    callback.succeeded();
  }

  private void onClosed() {
    closed = true;
    MqttClients.Connection open = connection;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void demand() {
    CoreSession open = session;
    if (open != null && open.isInputOpen()) {
      open.demand();
    }
  }

  @Override
  public void send(ByteBuffer bytes, Runnable sent) {
    sendFrame(new Frame(OpCode.BINARY, bytes), sent);
  }

  private void sendFrame(Frame frame, Runnable sent) {
    CoreSession open = session;
    if (open != null) {
      // If sending fails, onClosed follows.
      open.sendFrame(frame, Callback.from(sent, failure -> {}), false);
    }
  }

  @Override
  public void close() {
    close(CloseStatus.NORMAL, "");
  }

  /** Ends the connection because the client may no longer use it. */
  void end(String reason) {
    close(CloseStatus.POLICY_VIOLATION, reason);
  }

  private void close(int status, String reason) {
    CoreSession open = session;
    if (open != null && !closed && !closing) {
      closing = true;
      open.close(status, reason, Callback.NOOP);
      scheduler.schedule(
          () -> {
            if (!closed) {
              open.abort();
              onClosed(); // Jetty does not call it if nothing is being read
            }
          },
          CLOSE_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }
}
