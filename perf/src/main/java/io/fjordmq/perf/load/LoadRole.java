package io.fjordmq.perf.load;

import io.fjordmq.perf.LoadClient;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Handles the packets of a client that publishes, subscribes, both or neither. */
final class LoadRole implements LoadClient.Receiver {
  private final Fleet fleet;
  private @Nullable Publisher publisher;
  private @Nullable Subscriber subscriber;

  /**
   * Whether the client counts as connected. Only then is the end of its connection a loss; failed
   * connects are counted elsewhere.
   */
  private boolean connected;

  /** The reason why the connection was lost before the client counted as connected. */
  private @Nullable String lostReason;

  LoadRole(Fleet fleet) {
    this.fleet = fleet;
  }

  void setPublisher(Publisher role) {
    publisher = role;
  }

  void setSubscriber(Subscriber role) {
    subscriber = role;
  }

  @Nullable Publisher publisher() {
    return publisher;
  }

  @Nullable Subscriber subscriber() {
    return subscriber;
  }

  /**
   * Called when the client is connected, for the first time or again. May be called on any thread.
   */
  synchronized void onConnected() {
    connected = true;
    if (lostReason != null) {
      fleet.connectionCounts().onLost(lostReason);
    }
  }

  /** Called when the client disconnects; it may reconnect later. May be called on any thread. */
  synchronized void onDisconnected() {
    connected = false;
    lostReason = null;
  }

  @Override
  public void onPublish(ByteBuf payload) {
    Subscriber role = subscriber;
    if (role == null) {
      throw new IllegalStateException("unexpected PUBLISH: this client has no subscription");
    }
    role.onPublish(payload);
  }

  @Override
  public void onPuback(int packetIdentifier) {
    Publisher role = publisher;
    if (role == null) {
      throw new IllegalStateException("unexpected PUBACK: this client does not publish");
    }
    role.onPuback(fleet.requireSchedule(), packetIdentifier);
  }

  @Override
  public synchronized void onLost(String reason) {
    if (connected) {
      fleet.connectionCounts().onLost(reason);
    } else {
      lostReason = reason;
    }
  }
}
