package io.fjordmq.perf.load;

import io.fjordmq.perf.LoadClient;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Handles the packets of a client that publishes, subscribes, both or neither. */
final class LoadRole implements LoadClient.Receiver {
  private final Fleet fleet;
  private @Nullable Publisher publisher;
  private @Nullable Subscriber subscriber;

  /** Only a client that has entered can be lost; a failed connect is counted by the caller. */
  private boolean in;

  /** Why the connection ended, if that happened before the client entered. */
  private @Nullable String ended;

  LoadRole(Fleet fleet) {
    this.fleet = fleet;
  }

  void publishes(Publisher role) {
    publisher = role;
  }

  void subscribes(Subscriber role) {
    subscriber = role;
  }

  @Nullable Publisher publisher() {
    return publisher;
  }

  @Nullable Subscriber subscriber() {
    return subscriber;
  }

  /** It is connected, for the first time or again. Any thread. */
  synchronized void enter() {
    in = true;
    if (ended != null) {
      fleet.presence().lose(ended);
    }
  }

  /** It disconnects, and may return. Any thread. */
  synchronized void leave() {
    in = false;
    ended = null;
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
    if (in) {
      fleet.presence().lose(reason);
    } else {
      ended = reason;
    }
  }
}
